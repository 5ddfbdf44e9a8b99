import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { make, makePage } from '../make-report.mjs';
import { filled, packed } from '../pack.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, '../../test-results-pages');

/// The address of a page that was made before the tests.
export const page = (name: string) => pathToFileURL(join(out, `${name}.html`)).href;

/// Makes every page that the tests open, from the built template.
export default function setup(): void {
  const template = readFileSync(join(here, '../../dist/report.html'), 'utf8');
  mkdirSync(out, { recursive: true });
  const write = (name: string, text: string) => writeFileSync(join(out, `${name}.html`), text);
  for (const name of ['small', 'sites', 'one', 'empty', 'many', 'manysites']) write(name, makePage(name, template));
  const { head, blob } = make('one');
  const good = packed(head, blob);
  write('template', template);
  write('newer', filled(template, packed({ ...head, version: 99 }, blob)));
  write('cut', filled(template, good.slice(0, Math.floor(good.length / 2) & ~3)));
  write('noise', filled(template, 'not base64 at all!'));
  const bare = { ...head.runs[0], jobs: null, stretches: null, timeline: null, reasons: null, population: null, sites: [], summary: { jct_mean_s: null } };
  write('bare', filled(template, packed({ ...head, runs: [bare], populations: [] }, blob)));
  const torn = structuredClone(head);
  torn.runs[0].stretches.columns.from.at = 1e9;
  write('torn', filled(template, packed(torn, blob)));
}
