import { defineConfig } from '@playwright/test';
import { launchOptions } from '../../bench/browser.mjs';

export default defineConfig({
  testDir: '.',
  outputDir: '../../test-results',
  globalSetup: './pages.ts',
  workers: 2,
  fullyParallel: true,
  timeout: 120_000,  // ends a test that hangs; no test is timed by it
  reporter: process.stdout.isTTY ? 'line' : 'dot',
  use: { browserName: 'chromium', launchOptions, viewport: { width: 1280, height: 900 } },
});
