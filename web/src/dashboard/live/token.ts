import { Store } from '../../parts/store';

const key = 'penstock-token';

/// The token as it was given to this page; kept beyond a reload only where that was asked for, and never beyond the tab.
export const token = new Store<string | null>(kept());

function kept(): string | null {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}

export function takeToken(text: string, keep: boolean): void {
  token.set(text);
  try {
    if (keep) sessionStorage.setItem(key, text);
    else sessionStorage.removeItem(key);
  } catch {
    // Where nothing can be kept the token lasts as long as the page.
  }
}

export function forgetToken(): void {
  token.set(null);
  try {
    sessionStorage.removeItem(key);
  } catch {
    // The same.
  }
}
