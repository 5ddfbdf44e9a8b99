import { render } from 'preact';
import '../parts/style.css';
import { startTheme } from '../parts/theme';
import { App, Unshown } from './app';
import { Report } from './data/report';
import { unpack } from './data/unpack';
import { Shared } from './shared';

const page = document.getElementById('page')!;

function fail(error: unknown): void {
  page.replaceChildren();
  render(<Unshown why={error instanceof Error ? error.message : String(error)} />, page);
}

async function start(): Promise<void> {
  const element = document.getElementById('penstock-data');
  const { head, blob } = await unpack(element?.textContent ?? '');
  element?.remove();
  const shared = new Shared(head);
  const name = head.inputs[0]?.scenario;
  if (name) document.title = `${name} – Penstock report`;
  page.replaceChildren();
  render(<App shared={shared} />, page);
  performance.mark('penstock-head');
  try {
    shared.report.set(new Report(head, await blob));
    performance.mark('penstock-data');
  } catch (error) {
    render(null, page);
    fail(error);
  }
}

startTheme();
start().catch(fail);
