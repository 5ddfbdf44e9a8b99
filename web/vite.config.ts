import { defineConfig } from 'vite';

// What both pages share; build.mjs builds each of them with it, `npx vite` serves them while working.
export default defineConfig({
  base: './',
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact', legalComments: 'none' },
  build: { target: 'es2022', assetsInlineLimit: 1e8, cssCodeSplit: false, modulePreload: false, reportCompressedSize: false },
});
