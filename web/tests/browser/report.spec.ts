import { drawn, expect, made, open, saved, test } from './opened';

test('every chart of every section is drawn', async ({ page }) => {
  await open(page, 'sites');
  const canvases = page.locator('main canvas');
  expect(await canvases.count()).toBeGreaterThanOrEqual(17);
  for (const canvas of await canvases.all()) {
    await canvas.scrollIntoViewIfNeeded();
    expect(await drawn(canvas), await canvas.evaluate((c) => c.closest('figure')?.querySelector('h3')?.textContent ?? '')).toBeGreaterThan(400);
  }
});

test('every chart has a title, and is saved as PNG and CSV', async ({ page }) => {
  await open(page, 'sites');
  for (const figure of await page.locator('figure:has(canvas)').all()) {
    const title = (await figure.locator('h3').textContent()) ?? '';
    expect(title.trim()).not.toBe('');
    const csv = await made(page, figure.getByRole('button', { name: /save as CSV/ }));
    expect(csv.name).toMatch(/\.csv$/);
    expect(csv.bytes.toString().trim().split('\r\n').length, title).toBeGreaterThan(1);
    const png = await made(page, figure.getByRole('button', { name: /save as PNG/ }));
    expect(png.name).toMatch(/\.png$/);
    expect(png.bytes.subarray(1, 4).toString()).toBe('PNG');
    expect(png.bytes.length, title).toBeGreaterThan(1500);
  }
});

test('the comparison sorts, marks the best and changes its baseline', async ({ page }) => {
  await open(page, 'small');
  const table = page.getByRole('grid', { name: 'Comparison of runs' });
  const names = () => table.getByRole('rowheader').allTextContents();
  await table.getByRole('button', { name: /mean JCT/ }).click();
  expect((await names())[0]).toContain('mars');
  await expect(table.locator('[aria-sort=ascending]')).toHaveCount(1);
  await table.getByRole('button', { name: /mean JCT/ }).click();
  expect((await names())[0]).toContain('fifo');
  await expect(table.getByRole('img', { name: 'best' }).first()).toBeVisible();
  await expect(table.getByText('✓').first()).toBeVisible();
  await page.getByLabel('Compared with').selectOption({ label: 'mars' });
  await expect(table.getByText('✗').first()).toBeVisible();
  await expect(table.locator('[role=row]', { hasText: 'baseline' })).toContainText('mars');
  await page.getByLabel('Change shown').selectOption('difference');
  await expect(table.getByText(/\+\d+\.\d\d/).first()).toBeVisible();
  const before = await table.getByRole('columnheader').count();
  await page.getByLabel('All measures').check();
  expect(await table.getByRole('columnheader').count()).toBeGreaterThan(before);
  await expect(page.getByText('What each measure means')).toBeVisible();
  await page.getByText('What each measure means').click();
  await expect(page.getByText('First submission to last finish.')).toBeVisible();
});

test('a picture is saved as a file', async ({ page }) => {
  await open(page, 'one');
  const { name, bytes } = await saved(page, page.getByRole('button', { name: 'Power: save as PNG', exact: true }));
  expect(name).toBe('power.png');
  expect(bytes.readUInt32BE(16)).toBeGreaterThan(1200);
});

test('its CSV holds every number in full', async ({ page }) => {
  await open(page, 'small');
  const { bytes } = await saved(page, page.getByRole('button', { name: 'Comparison of runs: save as CSV' }));
  const [head, first, ...rest] = bytes.toString().trim().split('\r\n');
  expect(head).toContain('jct_mean_s [s]');
  expect(first).toMatch(/^fifo,\d+\.\d{6,}/);
  expect(rest.length).toBe(5);
});

test('zooming one chart zooms all of them and the Gantt', async ({ page }) => {
  await open(page, 'small');
  const over = page.locator('#time .u-over').first();
  await over.scrollIntoViewIfNeeded();
  const gantt = page.locator('#schedule canvas');
  const look = () => gantt.evaluate((c) => (c as HTMLCanvasElement).toDataURL());
  const all = await look();
  const box = (await over.boundingBox())!;
  await page.mouse.move(box.x + 200, box.y + 30);
  await page.mouse.down();
  await page.mouse.move(box.x + 400, box.y + 30, { steps: 4 });
  await page.mouse.up();
  await expect.poll(look).not.toBe(all);
  await page.mouse.move(box.x + 300, box.y + 40);
  await expect(page.locator('#time .tip')).toContainText('UTC');
  await expect(page.locator('#schedule .hair')).toBeVisible();
  await page.mouse.dblclick(box.x + 300, box.y + 40);
  await expect.poll(look).toBe(all);
});

test('the Gantt zooms by keys and wheel, tells the job below the pointer, and opens it', async ({ page }) => {
  await open(page, 'small');
  const gantt = page.getByRole('application');
  await gantt.scrollIntoViewIfNeeded();
  const canvas = gantt.locator('canvas');
  const look = () => canvas.evaluate((c) => (c as HTMLCanvasElement).toDataURL());
  const seen = new Set([await look()]);
  await gantt.focus();
  for (const key of ['+', 'ArrowRight', 'PageUp', 'ArrowDown']) {
    await page.keyboard.press(key);
    await expect.poll(async () => seen.has(await look()), key).toBe(false);
    seen.add(await look());
  }
  await page.keyboard.press('Home');
  await expect.poll(async () => seen.has(await look())).toBe(true);
  const box = (await gantt.boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + 200);
  await page.mouse.wheel(0, -300);
  await expect.poll(async () => seen.has(await look())).toBe(false);
  await page.keyboard.press('Home');
  for (const by of ['clock', 'gpus', 'job']) {
    await page.getByLabel('Coloured by').selectOption(by);
    expect(await drawn(canvas)).toBeGreaterThan(20000);
  }
  const tip = gantt.locator('.tip');
  for (let x = 100; x < box.width && !(await tip.isVisible()); x += 15) await page.mouse.move(box.x + x, box.y + 120);
  await expect(tip).toContainText('user');
  await page.mouse.down();
  await page.mouse.up();
  await expect(page.getByRole('dialog')).toContainText('Its stretches');
});

test('two runs are laid over each other, and sites chosen', async ({ page }) => {
  await open(page, 'sites');
  await page.getByLabel('and over it').selectOption({ label: 'las' });
  await expect(page.locator('#time figure').first().locator('.legend')).toContainText('las');
  await page.locator('#time').getByLabel('Site').selectOption({ label: 'dublin' });
  await expect(page.locator('#time h3').first()).toContainText('at dublin');
  for (const canvas of await page.locator('#time canvas').all()) {
    await canvas.scrollIntoViewIfNeeded();
    expect(await drawn(canvas)).toBeGreaterThan(300);
  }
});

test('lines of a distribution can be switched off', async ({ page }) => {
  await open(page, 'small');
  const figure = page.locator('#distributions figure').first();
  const all = await drawn(figure.locator('canvas'));
  const button = figure.getByRole('button', { name: 'las' });
  await button.click();
  await expect(button).toHaveAttribute('aria-pressed', 'false');
  await expect.poll(() => drawn(figure.locator('canvas'))).toBeLessThan(all);
});

test('a chart says what is below the pointer', async ({ page }) => {
  await open(page, 'sites');
  for (const id of ['#distributions', '#sites', '#bounds']) {
    const plot = page.locator(`${id} .plot`).first();
    await plot.scrollIntoViewIfNeeded();
    await plot.hover({ position: { x: 250, y: 30 } });
    await expect(page.locator(`${id} .tip`).first()).not.toBeEmpty();
  }
});
