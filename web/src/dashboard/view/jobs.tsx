import { useMemo, useState } from 'preact/hooks';
import { useStore } from '../../parts/store';
import { Table } from '../../parts/table';
import { JobOrder, type SortKey } from '../live/job-order';
import type { Live } from '../live/live';
import { type JobColumn, queuedColumns, runningColumns } from './job-columns';
import { useNow } from './times';

interface Props {
  live: Live;
  onOpen: (id: string) => void;
}

/// All jobs that run and wait, with a search over both.
export function Jobs({ live, onOpen }: Props) {
  const [query, setQuery] = useState('');
  return (
    <>
      <div class="controls">
        <label class="field search">
          <span>Search jobs: name, user, node, site, reason</span>
          <input type="search" value={query} spellcheck={false} onInput={(e) => setQuery(e.currentTarget.value)} />
        </label>
      </div>
      <JobTable live={live} onOpen={onOpen} query={query} queued={false} title="Running" columns={runningColumns} first={{ id: 'started', down: true }} />
      <JobTable live={live} onOpen={onOpen} query={query} queued title="Queue" columns={queuedColumns} first={{ id: 'submitted', down: false }} />
    </>
  );
}

interface TableProps extends Props {
  query: string;
  queued: boolean;
  title: string;
  columns: JobColumn[];
  first: { id: SortKey; down: boolean };
}

function JobTable({ live, onOpen, query, queued, title, columns, first }: TableProps) {
  const version = useStore(live.jobsDrawn);
  const [sort, setSort] = useState(first);
  const [order] = useState(() => new JobOrder());
  const drift = live.state.get() ? Date.parse(live.state.get()!.now) - (live.heardAt.get() ?? Date.now()) : 0;
  const now = useNow(5000) + drift;
  const rows = useMemo(() => order.of(live.jobs, { queued, query: query.toLowerCase(), sort }), [version, query, sort]);
  const { slots } = live.jobs;
  const shown = columns.map((c) => ({
    ...c,
    cell: (row: number) => {
      const job = slots[row];
      return job ? c.cell(job, now) : '';
    },
  }));
  const choose = (id: string) => setSort((before) => ({ id: id as SortKey, down: before.id === id ? !before.down : false }));
  const open = (row: number) => slots[row] && onOpen(slots[row].id);
  return (
    <div class="jobs">
      <h3>
        {title} <span class="muted">{rows.length.toLocaleString('en-GB')}{query && ' found'}</span>
      </h3>
      {version < 0 ? (
        <p class="empty">Asking the daemon …</p>
      ) : rows.length === 0 ? (
        <p class="empty">{query ? 'No such job.' : queued ? 'No job waits.' : 'No job runs.'}</p>
      ) : (
        <Table label={title} columns={shown} order={rows} rowHeight={28} maxHeight={queued ? 400 : 340} view={`${sort.id} ${sort.down} ${query}`} sort={sort} onSort={choose} onOpen={open} />
      )}
    </div>
  );
}
