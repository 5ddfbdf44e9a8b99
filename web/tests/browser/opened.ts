import { readFileSync } from 'node:fs';
import { expect, type Locator, type Page, test as plain } from '@playwright/test';
import { page as address } from './pages';

/// A tab that fails its test when the page complains, or asks anybody for anything.
export const test = plain.extend<{ quiet: void }>({
  quiet: [
    async ({ page }, use) => {
      const complaints: string[] = [];
      // Only the tests read pixels back, and are told that there is a faster way.
      page.on('console', (m) => ['error', 'warning'].includes(m.type()) && !m.text().includes('willReadFrequently') && complaints.push(m.text()));
      page.on('pageerror', (e) => complaints.push(e.message));
      page.on('request', (r) => !/^(file|data|blob):/.test(r.url()) && complaints.push(`asked for ${r.url()}`));
      await use();
      expect(complaints).toEqual([]);
    },
    { auto: true },
  ],
});

/// Opens a report and waits until every section is made and drawn.
export async function open(page: Page, name: string): Promise<void> {
  await page.goto(address(name));
  await page.waitForFunction(() => {
    const all = [...document.querySelectorAll('section')];
    return all.length > 0 && all.every((s) => s.dataset.made === 'true');
  });
  await page.waitForTimeout(150);
}

/// How many pixels of a canvas differ from the most frequent colour.
export async function drawn(canvas: Locator): Promise<number> {
  return canvas.evaluate((element) => {
    const c = element as HTMLCanvasElement;
    const words = new Uint32Array(c.getContext('2d')!.getImageData(0, 0, c.width, c.height).data.buffer);
    const counts = new Map<number, number>();
    for (const w of words) counts.set(w, (counts.get(w) ?? 0) + 1);
    return words.length - Math.max(...counts.values());
  });
}

/// What is saved when `button` is pressed.
export async function saved(page: Page, button: Locator): Promise<{ name: string; bytes: Buffer }> {
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/// What would be saved when `button` is pressed: quicker than a download, for many buttons.
export async function made(page: Page, button: Locator): Promise<{ name: string; bytes: Buffer }> {
  await page.evaluate(() => {
    const kept = globalThis as unknown as { made: Promise<[string, number[]]> };
    const { createObjectURL } = URL;
    const { click } = HTMLAnchorElement.prototype;
    kept.made = new Promise((done) => {
      let blob: Blob;
      URL.createObjectURL = (b: Blob) => {
        blob = b;
        URL.createObjectURL = createObjectURL;
        return createObjectURL(b);
      };
      HTMLAnchorElement.prototype.click = function () {
        HTMLAnchorElement.prototype.click = click;
        void blob.arrayBuffer().then((bytes) => done([this.download, [...new Uint8Array(bytes)]]));
      };
    });
  });
  await button.click();
  const [name, bytes] = await page.evaluate(() => (globalThis as unknown as { made: Promise<[string, number[]]> }).made);
  return { name, bytes: Buffer.from(bytes) };
}

export { expect };
