// How fast the largest report is: `npm run bench [-- REPORT.html]`. Without a page it makes one up: 82,247 jobs under six policies
// on 2,490 GPUs with half a million stretches in the fourth. Prints one line per figure.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from '@playwright/test';
import { makePage } from '../tests/make-report.mjs';
import { launchOptions } from './browser.mjs';

const here = dirname(fileURLToPath(import.meta.url));

function page() {
  if (process.argv[2]) return resolve(process.argv[2]);
  const template = join(here, '../dist/report.html');
  const out = join(here, 'out/philly.html');
  if (!existsSync(out) || statSync(out).mtimeMs < statSync(template).mtimeMs) {
    mkdirSync(dirname(out), { recursive: true });
    writeFileSync(out, makePage('philly', readFileSync(template, 'utf8')));
  }
  return out;
}

const say = (name, value) => console.log(`${name.padEnd(52)} ${value}`);
const file = page();
const browser = await chromium.launch(launchOptions);
const tab = await browser.newPage({ viewport: { width: 1280, height: 900 } });
await tab.addInitScript(() => {
  globalThis.longTasks = [];
  new PerformanceObserver((list) => globalThis.longTasks.push(...list.getEntries().map((e) => [e.startTime, e.duration]))).observe({ entryTypes: ['longtask'] });
});
say('file', `${(statSync(file).size / 1e6).toFixed(1)} MB`);
const wall = Date.now();
await tab.goto(pathToFileURL(file).href, { waitUntil: 'commit' });
await tab.waitForFunction(() => performance.getEntriesByName('penstock-data').length > 0, null, { polling: 20, timeout: 60000 });
await tab.locator('#comparison [role=columnheader] button').nth(1).click();
await tab.waitForSelector('#comparison [aria-sort=ascending]');
say('opened to a sorted comparison, wall clock', `${Date.now() - wall} ms`);
const marks = await tab.evaluate(() => performance.getEntriesByType('mark').map((m) => [m.name, m.startTime]));
for (const [name, at] of marks) say(`mark ${name}`, `${at.toFixed(0)} ms`);
await tab.waitForFunction(() => [...document.querySelectorAll('section')].every((s) => s.dataset.made === 'true'), null, { timeout: 120000 });
await tab.waitForTimeout(500);
const tasks = await tab.evaluate(() => globalThis.longTasks);
say('every section made, last long task ended', `${Math.max(0, ...tasks.map(([s, d]) => s + d)).toFixed(0)} ms`);
say('longest task', `${Math.max(0, ...tasks.map(([, d]) => d)).toFixed(0)} ms`);

/// Frames a second while `act` happens once a frame.
async function frames(name, selector, act) {
  await tab.locator(selector).first().scrollIntoViewIfNeeded();
  await tab.locator(selector).first().focus();
  await tab.waitForTimeout(300);
  const result = await tab.evaluate(
    async ([sel, source]) => {
      const host = document.querySelector(sel);
      const box = host.getBoundingClientRect();
      const act = new Function('host', 'box', 'i', source);
      const times = [];
      for (let i = 0; i < 90; ++i) {
        act(host, box, i);
        await new Promise((done) => requestAnimationFrame(done));
        times.push(performance.now());
      }
      const gaps = times.slice(1).map((t, i) => t - times[i]).sort((a, b) => a - b);
      return { mean: gaps.reduce((a, b) => a + b, 0) / gaps.length, p95: gaps[Math.floor(gaps.length * 0.95)] };
    },
    [selector, act],
  );
  say(name, `${(1000 / result.mean).toFixed(0)} frames/s, 95 % of frames within ${result.p95.toFixed(0)} ms`);
}

const runs = await tab.locator('#time select').first().locator('option').count();
await tab.locator('#time select').first().selectOption(String(Math.min(3, runs - 1)));
await tab.waitForTimeout(1500);
const gantt = '#schedule .plot.pan';
await frames('Gantt: zoom in and out by wheel', gantt, "host.dispatchEvent(new WheelEvent('wheel', { deltaY: i % 60 < 30 ? -100 : 100, clientX: box.left + box.width * 0.6, clientY: box.top + 200, cancelable: true, bubbles: true }))");
await frames('Gantt: all of it, moved by keys', gantt, "if (i === 0) host.dispatchEvent(new KeyboardEvent('keydown', { key: 'Home', bubbles: true })); else host.dispatchEvent(new KeyboardEvent('keydown', { key: i % 2 ? '+' : '-', bubbles: true }))");
await frames('Gantt: hover', gantt, "host.dispatchEvent(new PointerEvent('pointermove', { clientX: box.left + 80 + i * 11, clientY: box.top + 20 + i * 4, bubbles: true }))");
await frames('Jobs: scroll', '#jobs .sheet', 'host.scrollTop += 900');
const sorted = await tab.evaluate(async () => {
  const begin = performance.now();
  [...document.querySelectorAll('#jobs [role=columnheader] button')].find((b) => b.textContent.startsWith('JCT')).click();
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return performance.now() - begin;
});
say('Jobs: sort by completion time', `${sorted.toFixed(0)} ms`);
const found = await tab.evaluate(async () => {
  const input = document.querySelector('#jobs input[type=search]');
  const begin = performance.now();
  input.value = 'user7';
  input.dispatchEvent(new Event('input', { bubbles: true }));
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return performance.now() - begin;
});
say('Jobs: search', `${found.toFixed(0)} ms`);
say('memory of the page (JavaScript heap)', `${((await tab.evaluate(() => performance.memory?.usedJSHeapSize ?? 0)) / 1e6).toFixed(0)} MB`);
await browser.close();
