import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { program } from './daemon';
import { drawn, expect, open, test } from './opened';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../../..');

/// Runs a scenario of the repository with the built program, and gives its report to the tests under a name.
function simulated(name: string, scenario: string, ...more: string[]): { runs: { jct_mean_s: number }[] } {
  const folder = mkdtempSync(join(tmpdir(), 'penstock-real-'));
  try {
    execFileSync(program, ['simulate', join(root, scenario), '--no-progress', '--out', join(folder, 'out'), ...more], { stdio: 'ignore' });
    copyFileSync(join(folder, 'out/report.html'), join(here, `../../test-results-pages/${name}.html`));
    return JSON.parse(readFileSync(join(folder, 'out/summary.json'), 'utf8'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test.skip(!existsSync(program), 'penstock is not built');

for (const [name, scenario, ...more] of [
  ['real-demo', 'data/demo.toml'],
  ['real-geo', 'data/scenarios/geo.toml', '--policy', 'geo:router=local,geo:router=greenest'],
  ['real-powerflow', 'data/studies/powerflow/elasticflow.toml', '--policy', 'afs,powerflow'],
] as const)
  test(`a report of ${scenario} shows what was simulated`, async ({ page }) => {
    test.setTimeout(120_000);
    const summary = simulated(name, scenario, ...more);
    await open(page, name);
    const table = page.getByRole('grid', { name: 'Comparison of runs' });
    await expect(table.getByRole('rowheader')).toHaveCount(summary.runs.length);
    const hours = (summary.runs[0]!.jct_mean_s / 3600).toFixed(2);
    await expect(table.getByText(hours, { exact: true }).first()).toBeVisible();
    for (const canvas of await page.locator('main canvas').all()) {
      await canvas.scrollIntoViewIfNeeded();
      expect(await drawn(canvas), await canvas.evaluate((c) => c.closest('figure')?.querySelector('h3')?.textContent ?? '')).toBeGreaterThan(200);
    }
  });
