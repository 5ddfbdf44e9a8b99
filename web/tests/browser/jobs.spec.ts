import { expect, open, saved, test } from './opened';

test('jobs are found, filtered and sorted', async ({ page }) => {
  await open(page, 'small');
  const jobs = page.locator('#jobs');
  await jobs.getByLabel('Find by name, user or kind').fill('user0');
  await expect(jobs.locator('h3')).not.toContainText('600 of 600');
  const users = await jobs.locator('[role=row].line [role=gridcell]:nth-child(2)').allTextContents();
  expect(users.length).toBeGreaterThan(3);
  for (const user of users) expect(user).toContain('user0');
  await jobs.getByLabel('Find by name, user or kind').fill('');
  await jobs.getByLabel('State').selectOption('unfinished');
  await expect(jobs.locator('h3')).toContainText('6 of 600');
  await jobs.getByLabel('State').selectOption('all');
  await jobs.getByRole('button', { name: /^GPUs/ }).click();
  await jobs.getByRole('button', { name: /^GPUs/ }).click();
  await expect(jobs.locator('[role=row].line').first().locator('[role=gridcell]:nth-child(5)')).toHaveText('32');
  await jobs.getByLabel('Find by name, user or kind').fill('no such job');
  await expect(jobs.getByText('No job is like that.')).toBeVisible();
});

test('only the rows that are seen are in the page, and the last is reached by a key', async ({ page }) => {
  await open(page, 'small');
  const table = page.getByRole('grid', { name: 'Jobs' });
  expect(await table.locator('.line').count()).toBeLessThan(60);
  await table.focus();
  await page.keyboard.press('End');
  await expect(table.locator('.line.active')).toHaveAttribute('aria-rowindex', '601');
  await expect(table.locator('.line.active')).toBeInViewport();
  await page.locator('#jobs').getByLabel('Find by name, user or kind').fill('vit');
  await expect(table.locator('.line').first()).toContainText('vit');
  await page.locator('#jobs').getByLabel('Find by name, user or kind').fill('');
  await expect(table.locator('.line').first()).toHaveAttribute('aria-rowindex', '2');
  await table.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog').getByRole('heading', { level: 2 })).toHaveText('application_15100000037_00001');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
});

test('a job’s life compares all runs', async ({ page }) => {
  await open(page, 'small');
  await page.locator('#jobs [role=rowheader]').nth(10).click();
  const life = page.getByRole('dialog');
  await expect(life.locator('tbody tr')).toHaveCount(6);
  await expect(life).toContainText('Asked for');
  const { bytes } = await saved(page, life.getByRole('button', { name: /save as CSV/ }));
  expect(bytes.toString()).toContain('run,from_s,to_s,gpus,clock_mhz,ended');
  await life.getByRole('button', { name: 'Close' }).click();
  await expect(life).toBeHidden();
});

test('hostile names are text, and harmless in a spreadsheet', async ({ page }) => {
  await open(page, 'small');
  await page.locator('#jobs [role=rowheader]').nth(3).click();
  await expect(page.getByRole('dialog').getByRole('heading', { level: 2 })).toHaveText('<img src=x onerror="globalThis.hacked=1">');
  await page.keyboard.press('Escape');
  await page.locator('#jobs [role=rowheader]').nth(4).click();
  await expect(page.getByRole('dialog').getByRole('heading', { level: 2 })).toHaveText('</script><script>globalThis.hacked=1</script>');
  await page.keyboard.press('Escape');
  expect(await page.evaluate(() => 'hacked' in globalThis)).toBe(false);
  expect(await page.locator('main img, main script').count()).toBe(0);
  const { bytes } = await saved(page, page.getByRole('button', { name: /^Jobs of fifo: save as CSV/ }));
  const lines = bytes.toString().trim().split('\r\n');
  expect(lines.length).toBe(601);
  expect(lines[6]).toMatch(/^'=cmd/);
});
