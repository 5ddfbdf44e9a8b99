import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useStore } from './store';
import { shown as shownTheme } from './theme';

export interface TableColumn {
  id: string;
  head: string;
  unit?: string;
  /// Of the grid: "6rem", "minmax(8rem, 1fr)".
  width: string;
  /// Texts stand left, numbers right.
  text?: boolean;
  /// A longer explanation of the head.
  title?: string;
  cell: (row: number) => ComponentChildren;
}

export interface Sort {
  id: string;
  down: boolean;
}

interface Props {
  label: string;
  columns: TableColumn[];
  /// Rows in the order in which they are shown.
  order: ArrayLike<number>;
  rowHeight: number;
  /// CSS pixels; longer tables scroll inside, and only what is seen is in the page.
  maxHeight: number;
  /// What the reader chose to see: when it changes, the table begins at its top again. Without it, when `order` does.
  view?: string;
  sort: Sort | null;
  onSort: (id: string) => void;
  /// Enter or a click on a row.
  onOpen?: (row: number) => void;
}

const headHeight = 44;

/// A table of any length: sorted by its heads, walked by arrow keys, its first column always seen.
export function Table({ label, columns, order, rowHeight, maxHeight, view, sort, onSort, onOpen }: Props) {
  const box = useRef<HTMLDivElement>(null);
  // The row, not its place: a table may change while it is read.
  const [activeRow, setActiveRow] = useState(-1);
  const active = useMemo(() => (activeRow < 0 ? -1 : Array.prototype.indexOf.call(order, activeRow)), [order, activeRow]);
  const total = order.length * rowHeight + headHeight;
  const virtual = total > maxHeight;
  const rows = useVirtualRows(box, virtual ? order.length : 0, rowHeight);
  const shown = virtual ? rows.items : Array.from({ length: order.length }, (_, index) => ({ index, start: 0 }));
  const id = (index: number) => `${label.replace(/\W+/g, '-')}-${index}`;
  useEffect(() => {
    setActiveRow(-1);
    if (box.current) box.current.scrollTop = 0;
  }, [view ?? order]);

  const go = (to: number) => {
    const index = Math.max(0, Math.min(order.length - 1, to));
    setActiveRow(order[index]);
    if (virtual) rows.scrollTo(index);
  };
  const key = (e: KeyboardEvent) => {
    if (e.target !== box.current || order.length === 0) return;
    const page = Math.max(1, Math.floor((maxHeight - headHeight) / rowHeight) - 1);
    const steps: Record<string, number> = { ArrowDown: active + 1, ArrowUp: active - 1, PageDown: active + page, PageUp: active - page, Home: 0, End: order.length - 1 };
    if (e.key in steps) go(steps[e.key]);
    else if ((e.key === 'Enter' || e.key === ' ') && active >= 0 && onOpen) onOpen(order[active]);
    else return;
    e.preventDefault();
  };
  const more = useOverflow(box);
  useFitOnPaper(box, virtual);
  const template = { '--columns': columns.map((c) => c.width).join(' ') };
  return (
    <div class="sheet-frame" data-more={more}>
      <div
        class={`sheet ${virtual ? 'long' : ''}`}
        ref={box}
        role="grid"
        tabIndex={0}
        aria-label={label}
        aria-rowcount={order.length + 1}
        aria-colcount={columns.length}
        aria-activedescendant={active >= 0 && shown.some((s) => s.index === active) ? id(active) : undefined}
        style={{ maxHeight: `${maxHeight}px` }}
        onKeyDown={key}
      >
        <div class="grid" role="presentation" style={{ ...template, height: virtual ? `${total}px` : undefined, width: 'max-content' }}>
          <div class="row head" role="row" aria-rowindex={1} style={{ height: `${headHeight}px` }}>
            {columns.map((c, i) => (
              <div class={`cell ${i === 0 ? 'first' : c.text ? 'text' : ''}`} role="columnheader" aria-sort={sort?.id === c.id ? (sort.down ? 'descending' : 'ascending') : 'none'} key={c.id}>
                <button type="button" title={c.title} onClick={() => onSort(c.id)}>
                  {c.head}
                  {sort?.id === c.id ? (sort.down ? ' ↓' : ' ↑') : ''}
                  <span class="unit">{c.unit ?? ''}</span>
                </button>
              </div>
            ))}
          </div>
          {shown.map(({ index, start }, place) => (
            <div
              class={`row line ${virtual ? 'virtual' : ''} ${index === active ? 'active' : ''}`}
              role="row"
              id={id(index)}
              aria-rowindex={index + 2}
              key={place}
              style={virtual ? { height: `${rowHeight}px`, transform: `translateY(${start}px)` } : { minHeight: `${rowHeight}px` }}
              onClick={onOpen && (() => (setActiveRow(order[index]), onOpen(order[index])))}
            >
              {columns.map((c, i) => (
                <div class={`cell ${i === 0 ? 'first' : c.text ? 'text' : ''}`} role={i === 0 ? 'rowheader' : 'gridcell'} key={c.id}>
                  {c.cell(order[index])}
                </div>
              ))}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

/// On paper nothing scrolls: a table that is too wide becomes smaller.
function useFitOnPaper(box: { current: HTMLDivElement | null }, virtual: boolean): void {
  const theme = useStore(shownTheme);
  useLayoutEffect(() => {
    const grid = box.current!.firstElementChild as HTMLElement;
    grid.style.zoom = '';
    if (theme === 'paper' && !virtual) grid.style.zoom = String(Math.min(1, Math.max(0.4, box.current!.clientWidth / grid.scrollWidth)));
  }, [theme, virtual]);
}

/// Whether something is hidden at the right, so that the edge can say so.
function useOverflow(box: { current: HTMLDivElement | null }): boolean {
  const [more, setMore] = useState(false);
  useEffect(() => {
    const host = box.current!;
    const look = () => setMore(host.scrollLeft + host.clientWidth < host.scrollWidth - 2);
    const size = new ResizeObserver(look);
    size.observe(host);
    if (host.firstElementChild) size.observe(host.firstElementChild);
    host.addEventListener('scroll', look, { passive: true });
    return () => {
      size.disconnect();
      host.removeEventListener('scroll', look);
    };
  }, []);
  return more;
}

/// The rows of a long table that are seen now.
function useVirtualRows(box: { current: HTMLDivElement | null }, count: number, rowHeight: number) {
  const [, again] = useState({});
  const options = {
    count,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    paddingStart: headHeight,
    scrollPaddingStart: headHeight,
    overscan: 6,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => again({}),
  };
  const [virtualizer] = useState(() => new Virtualizer<HTMLDivElement, HTMLDivElement>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => virtualizer._willUpdate());
  useLayoutEffect(() => virtualizer.measure(), [count, rowHeight]);
  // While a table becomes shorter the rows that were seen may be no more.
  return { items: virtualizer.getVirtualItems().filter((item) => item && item.index < count), scrollTo: (index: number) => virtualizer.scrollToIndex(index, { align: 'auto' }) };
}
