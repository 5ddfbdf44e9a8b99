import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { drawn, expect, open, test } from './opened';
import { page as address } from './pages';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/// Sentences about what axe finds wrong.
async function violations(page: import('@playwright/test').Page): Promise<string[]> {
  // The page's own policy lets no other script run, so axe comes through the debugger.
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run: () => Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }> } };
    return (await axe.run()).violations.map((v) => `${v.id}: ${v.nodes.map((n) => `${n.html.slice(0, 160)} ${n.failureSummary ?? ''}`).slice(0, 3).join(' | ')}`);
  });
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`axe finds nothing wrong, ${colorScheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    await open(page, 'sites');
    expect(await violations(page)).toEqual([]);
    await page.locator('#jobs [role=rowheader]').nth(2).click();
    await expect(page.getByRole('dialog')).toBeVisible();
    expect(await violations(page)).toEqual([]);
  });
}

test('dark and light follow the system and the switch', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await open(page, 'one');
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await ground();
  await page.getByLabel('Colours').selectOption('light');
  const light = await ground();
  expect(light).not.toBe(dark);
  expect(light).toBe('rgb(255, 255, 255)');
  await page.getByLabel('Colours').selectOption('auto');
  expect(await ground()).toBe(dark);
  expect(await drawn(page.locator('#schedule canvas'))).toBeGreaterThan(1000);
});

for (const name of ['small', 'sites', 'many', 'manysites', 'empty', 'bare', 'newer']) {
  test(`fits a phone of 360 pixels: ${name}`, async ({ page }) => {
    await page.setViewportSize({ width: 360, height: 740 });
    if (name === 'newer') await page.goto(address(name));
    else await open(page, name);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  });
}

test('prints light, without what cannot be pressed', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await open(page, 'small');
  const pdf = await page.pdf({ format: 'A4' });
  expect(pdf.length).toBeGreaterThan(30_000);
  await page.emulateMedia({ media: 'print' });
  await expect(page.locator('.nav')).toBeHidden();
  await expect(page.locator('.tools').first()).toBeHidden();
});

test('all that can be pressed is reached by Tab and shows it', async ({ page }) => {
  await open(page, 'one');
  const reached = new Set<string>();
  for (let i = 0; i < 90; ++i) {
    await page.keyboard.press('Tab');
    const now = await page.evaluate(() => {
      const e = document.activeElement as HTMLElement;
      const ring = getComputedStyle(e).outlineStyle !== 'none';
      return `${e.closest('section')?.id ?? 'top'} ${e.getAttribute('role') ?? e.tagName} ${ring}`;
    });
    reached.add(now);
  }
  for (const wanted of ['top SELECT true', 'comparison grid true', 'distributions img true', 'time img true', 'schedule application true', 'jobs grid true']) expect([...reached]).toContain(wanted);
});

test.describe('what cannot be shown says so', () => {
  for (const [name, words] of [['template', 'empty template'], ['newer', 'version 99'], ['cut', 'cut off'], ['noise', 'damaged']])
    test(name, async ({ page }) => {
      await page.goto(address(name));
      await expect(page.getByRole('alert')).toContainText(words);
      expect(await violations(page)).toEqual([]);
    });

  test('a part that is torn leaves the others', async ({ page }) => {
    await open(page, 'torn');
    await expect(page.locator('#schedule').getByRole('alert')).toContainText('damaged');
    await expect(page.locator('#time canvas').first()).toBeVisible();
    await expect(page.getByRole('grid', { name: 'Jobs' })).toBeVisible();
  });

  test('nothing finished', async ({ page }) => {
    await open(page, 'empty');
    await expect(page.locator('#comparison')).toContainText('no job has finished');
    await expect(page.locator('#distributions')).toContainText('No job has finished');
    await expect(page.locator('#jobs')).toContainText('No job was submitted');
  });

  test('nothing but sums', async ({ page }) => {
    await open(page, 'bare');
    await expect(page.locator('#time')).toContainText('no timeline');
    await expect(page.locator('#schedule')).toContainText('stretches.csv');
    await expect(page.locator('#jobs')).toContainText('only their sums');
    expect(await violations(page)).toEqual([]);
  });

  test('one policy', async ({ page }) => {
    await open(page, 'one');
    await expect(page.locator('#comparison')).toContainText('One run only');
  });

  test('thousands of policies are folded', async ({ page }) => {
    await open(page, 'many');
    expect(await page.locator('#comparison .line').count()).toBeLessThan(80);
    await page.getByLabel('Find a policy').fill('x=777');
    await expect(page.locator('#comparison .line')).toHaveCount(1);
    expect(await page.locator('#bounds .plot').count()).toBeGreaterThan(0);
  });
});
