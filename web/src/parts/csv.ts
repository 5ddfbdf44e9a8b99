export type Cell = string | number | null | undefined;

/// A table as CSV. Numbers are written in full, what is undefined is an empty field. A text that a spreadsheet
/// would take for a formula gets a quote in front, because names of jobs come from anybody.
export function csv(head: string[], rows: Iterable<readonly Cell[]>): string {
  const lines = [head.map(field).join(',')];
  for (const row of rows) lines.push(row.map(field).join(','));
  return lines.join('\r\n') + '\r\n';
}

function field(value: Cell): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : '';
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
