import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, type Page, test as plain } from '@playwright/test';
import { Daemon, hasProgram, type MadeJob, secret, type Told } from './daemon';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const hostile = ['<img src=x onerror=alert(1)>', '"><script>alert(2)</script>', '{{7*7}}', 'ünï cødé 工作', 'a'.repeat(200)];
const usual: MadeJob[] = [
  ...Array.from({ length: 8 }, (_, i) => ({ name: `resnet-${i}`, user: 'ada', gpus: 2, seconds: 900 + i })),
  ...hostile.map((name) => ({ name, user: '<b>bob</b>', gpus: 4, seconds: 900, comment: 'penstock: priority=3 deadline=6h' })),
  ...Array.from({ length: 40 }, (_, i) => ({ name: `bert-${i}`, user: 'grace', gpus: 1 + (i % 4), seconds: 900 })),
];

interface Fixtures {
  told: Told;
  daemon: Daemon;
  quiet: void;
}

/// A page over its own daemon. It fails when the page complains, or asks anybody but its daemon.
const test = plain.extend<Fixtures>({
  told: [{ jobs: usual }, { option: true }],
  daemon: async ({ told }, use) => {
    const daemon = new Daemon(told);
    await daemon.start();
    await use(daemon);
    await daemon.end();
  },
  quiet: [
    async ({ page, daemon }, use, info) => {
      const complaints: string[] = [];
      page.on('console', (m) => ['error', 'warning'].includes(m.type()) && !/willReadFrequently/.test(m.text()) && complaints.push(m.text()));
      page.on('pageerror', (e) => complaints.push(e.message));
      page.on('dialog', (d) => complaints.push(`it said ${d.message()}`));
      page.on('request', (r) => !r.url().startsWith(daemon.url) && !/^(data|blob):/.test(r.url()) && complaints.push(`asked for ${r.url()}`));
      await use();
      const expected = info.annotations.filter((a) => a.type === 'expected').map((a) => a.description!);
      expect(complaints.filter((c) => !expected.some((e) => c.includes(e)))).toEqual([]);
    },
    { auto: true },
  ],
});
test.skip(!hasProgram, 'penstock is not built');

const status = (page: Page) => page.locator('.connection');
const table = (page: Page, label: string) => page.getByRole('grid', { name: label });

async function open(page: Page, daemon: Daemon): Promise<void> {
  await page.goto(daemon.url);
  await expect(status(page)).toHaveText('connected');
  await expect(table(page, 'Running').getByRole('row').nth(1)).toBeVisible();
}

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run: () => Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }> } };
    return (await axe.run()).violations.map((v) => `${v.id}: ${v.nodes.map((n) => `${n.html.slice(0, 160)} ${n.failureSummary ?? ''}`).slice(0, 3).join(' | ')}`);
  });
}

test('shows what the daemon is, its site, its jobs, and why it decided what', async ({ page, daemon }) => {
  await open(page, daemon);
  await expect(page.locator('.facts.head')).toContainText('live has the wheel');
  await expect(page.locator('.facts.head')).toContainText('fifo backfill=easy');
  const site = page.getByRole('article', { name: 'east' });
  await expect(site).toContainText('16 of 16 GPUs busy; 4 nodes');
  await expect(site).toContainText('Slurm answers since');
  await expect(site).toContainText('Price and carbon are fresh');
  await expect(site).toContainText('EUR/kWh');
  await expect(site).toContainText(/Lowest .* at .* highest .* UTC/);
  await expect(page.locator('#jobs')).toContainText(/Running [5-9]/);
  await expect(page.locator('#jobs')).toContainText(/Queue 4\d/);
  const decision = page.locator('.decisions li').filter({ hasText: 'start on n' }).first();
  await expect(decision).toContainText('fifo');
  await expect(decision).toContainText(/asked|done/);
  await expect(page.locator('#savings')).toContainText('Too few jobs have ended', { timeout: 15_000 });
});

test('the page says by header and by itself that nothing else may run', async ({ page, daemon }) => {
  const answer = await page.goto(daemon.url);
  const policy = answer!.headers()['content-security-policy'];
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("connect-src 'self'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('unsafe');
  expect(answer!.headers()['x-content-type-options']).toBe('nosniff');
  expect(await page.locator('meta[http-equiv=Content-Security-Policy]').getAttribute('content')).toContain('sha256-');
});

test('names of jobs are text, whatever they say', async ({ page, daemon }) => {
  await open(page, daemon);
  for (const name of hostile) {
    await page.getByLabel(/Search jobs/).fill(name.slice(0, 30));
    await expect(page.locator('#jobs').getByText(name, { exact: true }).first()).toBeVisible();
  }
  await page.getByLabel(/Search jobs/).fill('onerror');
  await page.locator('#jobs .line').first().click();
  await expect(page.getByRole('dialog')).toContainText(hostile[0]);
  await expect(page.getByRole('dialog')).toContainText('<b>bob</b>');
  expect(await page.locator('img, #page script, #page b').count()).toBe(0);
});

test('jobs are searched, sorted, and opened with keys alone', async ({ page, daemon }) => {
  await open(page, daemon);
  await page.getByLabel(/Search jobs/).fill('bert grace');
  await expect(page.locator('#jobs')).toContainText(/Queue (3\d|40) found/);
  const queue = table(page, 'Queue');
  await queue.getByRole('button', { name: 'Name' }).click();
  await expect(queue.getByRole('row').nth(1)).toContainText(/bert-[0-5]/);
  await queue.getByRole('button', { name: 'Name' }).click();
  await expect(queue.getByRole('row').nth(1)).toContainText('bert-9');
  await queue.focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  const second = await queue.getByRole('row').nth(2).getByRole('rowheader').textContent();
  await page.waitForTimeout(1500);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toContainText(`Job ${second}`);
  await expect(page.getByRole('dialog')).toContainText('submitted');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
});

test('only who has the token pauses and resumes', async ({ page, daemon }, info) => {
  info.annotations.push({ type: 'expected', description: '401' });
  await open(page, daemon);
  await page.getByRole('button', { name: 'Pause …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Pause Penstock' });
  await dialog.getByLabel(/Why/).fill('fans <b>loud</b>');
  await dialog.getByLabel(/Token/).fill('wrong');
  await dialog.getByRole('button', { name: 'Pause', exact: true }).click();
  await expect(dialog.getByRole('alert')).toContainText('the token is wrong');
  await dialog.getByLabel(/Token/).fill(secret);
  await dialog.getByRole('button', { name: 'Pause', exact: true }).click();
  await expect(dialog).toBeHidden();
  await expect(page.locator('.facts.head')).toContainText('no, paused');
  await expect(page.locator('.notes.warn')).toContainText('It does not act: it is paused: fans <b>loud</b>');
  await page.getByRole('button', { name: 'Resume …' }).click();
  await expect(page.getByLabel(/Token/)).toHaveCount(0);
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  await expect(page.locator('.notes.warn')).toHaveCount(0);
  expect(page.url()).toBe(daemon.url);
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toContain(secret);
});

test('says how old it is when the daemon is gone, and comes back with it', async ({ page, daemon }, info) => {
  for (const description of ['ERR_', '503']) info.annotations.push({ type: 'expected', description });
  await open(page, daemon);
  await daemon.stop();
  await expect(status(page)).toContainText('reconnecting … what you see is', { timeout: 15_000 });
  await expect(page.locator('main')).toHaveAttribute('data-old', 'true');
  await expect(status(page)).toContainText(/what you see is [5-9] s old/, { timeout: 15_000 });
  await daemon.start();
  await expect(status(page)).toHaveText('connected', { timeout: 15_000 });
  await expect(page.locator('main')).toHaveAttribute('data-old', 'false');
});

test.describe('beyond loopback', () => {
  test.use({ told: { jobs: usual, host: '0.0.0.0' } });
  test('asks for the token, and keeps it only if told to', async ({ page, daemon }, info) => {
    info.annotations.push({ type: 'expected', description: '401' });
    await page.goto(daemon.url);
    await expect(page.getByRole('heading')).toHaveText('Penstock wants its token');
    await page.getByLabel(/Token/).fill('wrong');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('alert')).toContainText('the token is wrong');
    await page.getByLabel(/Token/).fill(secret);
    await page.getByLabel(/keep it/).check();
    await page.getByRole('button', { name: 'Show the dashboard' }).click();
    await expect(status(page)).toHaveText('connected');
    await expect(page.locator('#jobs')).toContainText(/Running [5-9]/);
    await page.reload();
    await expect(status(page)).toHaveText('connected');
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain(secret);
  });
});

test.describe('in shadow mode', () => {
  test.use({ told: { jobs: usual, mode: 'shadow' } });
  test('says what it would do and why it does not', async ({ page, daemon }) => {
    await page.goto(daemon.url);
    await expect(page.locator('.facts.head')).toContainText('says what it would do and changes nothing');
    await page.getByRole('button', { name: /The last/ }).click();
    const decision = page.locator('.decisions li').filter({ hasText: 'would start on n' }).first();
    await expect(decision).toContainText('not done: in shadow mode nothing is done');
    await expect(decision).toContainText('fifo');
    await expect(page.locator('.notes.warn')).toHaveCount(0);
  });
});

for (const colorScheme of ['light', 'dark'] as const)
  test(`axe finds nothing wrong, ${colorScheme}`, async ({ page, daemon }) => {
    await page.emulateMedia({ colorScheme });
    await open(page, daemon);
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Pause …' }).click();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await table(page, 'Running').getByRole('row').nth(1).click();
    await expect(page.getByRole('dialog')).toContainText('What happened to it');
    expect(await violations(page)).toEqual([]);
  });

for (const [width, colorScheme] of [[360, 'light'], [360, 'dark'], [1280, 'dark'], [1920, 'light']] as const)
  test(`fits ${width} pixels, ${colorScheme}`, async ({ page, daemon }, info) => {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await open(page, daemon);
    await page.waitForTimeout(500);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    await page.screenshot({ path: info.outputPath(`dashboard-${width}-${colorScheme}.png`), fullPage: true });
  });
