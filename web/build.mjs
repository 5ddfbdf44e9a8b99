// Builds report.html and dashboard.html, each one file that asks nobody for anything:
//   npm run build -- --outDir DIR        (default: dist)
// Code and style stand in the page, and the page's own policy (CSP) lets nothing else run.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const here = dirname(fileURLToPath(import.meta.url));
const pages = [
  { name: 'report', connect: '', marker: true },
  { name: 'dashboard', connect: " connect-src 'self';", marker: false },
];

function outDir(args) {
  const at = args.indexOf('--outDir');
  if (at >= 0 && args[at + 1]) return resolve(args[at + 1]);
  const joined = args.find((a) => a.startsWith('--outDir='));
  return joined ? resolve(joined.slice('--outDir='.length)) : join(here, 'dist');
}

const hash = (text) => `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;

/// The page with its one script and one style inside.
async function onePage({ name, connect, marker }) {
  const { output } = await build({
    root: here,
    configFile: join(here, 'vite.config.ts'),
    logLevel: 'warn',
    build: { write: false, rollupOptions: { input: join(here, `${name}.html`), output: { inlineDynamicImports: true } } },
  });
  const asset = (end) => output.find((o) => o.fileName.endsWith(end));
  const script = asset('.js').code.trim().replaceAll('</script', '<\\/script').replaceAll('<!--', '\\x3C!--');
  const style = String(asset('.css').source).trim();
  const policy =
    `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; img-src data: blob:;${connect}` +
    " base-uri 'none'; form-action 'none'";
  const inHead = [
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    `<style>${style}</style>`,
    `<script type="module">${script}</script>`,
  ].join('\n');
  const page = String(asset('.html').source)
    .replace(/\s*<script type="module"[^>]*><\/script>/, '')
    .replace(/\s*<link rel="stylesheet"[^>]*>/, '')
    .replace(/<!--code-->/, () => inHead);
  if (!page.includes(inHead) || /\s(src|href)="(?!#|data:)/.test(page.replace(inHead, ''))) throw new Error(`${name}.html: something is not inside the page`);
  const markers = page.split('PENSTOCK_DATA').length - 1;
  if (markers !== (marker ? 1 : 0)) throw new Error(`${name}.html: ${markers} markers`);
  return page;
}

const to = outDir(process.argv.slice(2));
mkdirSync(to, { recursive: true });
for (const page of pages) {
  const text = await onePage(page);
  writeFileSync(join(to, `${page.name}.html`), text);
  console.log(`${page.name}.html  ${(text.length / 1024).toFixed(0)} KiB`);
}
