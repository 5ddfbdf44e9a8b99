import { beginPrinting, endPrinting } from './printing';
import { Store } from './store';

export type Choice = 'auto' | 'light' | 'dark';
/// Paper looks as light does.
type Shown = 'light' | 'dark' | 'paper';

/// What the reader chose, kept between visits where the browser allows it.
export const choice = new Store<Choice>(remembered());
/// What is shown now. Everything drawn on a canvas is drawn again when it changes.
export const shown = new Store<Shown>('light');

const prefersDark = typeof matchMedia === 'function' ? matchMedia('(prefers-color-scheme: dark)') : null;

function remembered(): Choice {
  try {
    const text = localStorage.getItem('penstock-theme');
    return text === 'light' || text === 'dark' ? text : 'auto';
  } catch {
    return 'auto';
  }
}

function show(theme: Shown): void {
  document.documentElement.dataset.theme = theme === 'dark' ? 'dark' : 'light';
  shown.set(theme);
}

function follow(): void {
  const chosen = choice.get();
  show(chosen === 'auto' ? (prefersDark?.matches ? 'dark' : 'light') : chosen);
}

/// Follows the reader's choice and the system's from now on; paper is always light.
export function startTheme(): void {
  choice.watch((value) => {
    try {
      localStorage.setItem('penstock-theme', value);
    } catch {
      // Where nothing can be kept the choice lasts as long as the page.
    }
    follow();
  });
  prefersDark?.addEventListener('change', follow);
  addEventListener('beforeprint', () => (beginPrinting(), show('paper')));
  addEventListener('afterprint', () => (endPrinting(), follow()));
  follow();
}

/// Colours for canvases, the same as in style.css.
export interface Tokens {
  ground: string;
  text: string;
  muted: string;
  line: string;
  faint: string;
  accent: string;
}

export function tokens(): Tokens {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return { ground: of('ground'), text: of('text'), muted: of('muted'), line: of('line'), faint: of('faint'), accent: of('accent') };
}
