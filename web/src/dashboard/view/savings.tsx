import { useStore } from '../../parts/store';
import { fixed, signed } from '../../parts/units';
import type { Savings } from '../live/api-types';
import type { Live } from '../live/live';
import { type SavingsRow, savingsRows, shareRange } from './savings-rows';
import { clock } from './times';

/// What the policy saves against the way the site was scheduled before, and how sure that is.
export function SavingsPanel({ live }: { live: Live }) {
  const { savings, trouble, asking } = useStore(live.savings);
  const now = Date.parse(useStore(live.state)?.now ?? '') || Date.now();
  return (
    <>
      {savings ? <Known savings={savings} now={now} /> : !trouble && <p class="empty">The daemon plays all jobs that have ended under both policies; that can take a while …</p>}
      {trouble && <p class="trouble">Not known{savings ? ' anew' : ''}: {trouble}</p>}
      <p>
        <button type="button" disabled={asking} onClick={() => live.askForSavings()}>
          {asking ? 'Being worked out …' : 'Work it out again'}
        </button>
      </p>
    </>
  );
}

function Known({ savings, now }: { savings: Savings; now: number }) {
  const rows = savingsRows(savings);
  const would = savings.mode === 'shadow';
  const since = savings.from ? ` since ${clock(Date.parse(savings.from), now)} UTC` : '';
  return (
    <>
      <p class="lead">
        {fixed(savings.jobs, 0)} jobs{since}: {savings.policy} against {savings.former}.{would && ' In shadow mode this is what it would save.'}
      </p>
      {rows.length > 0 ? <SavingsTable rows={rows} would={would} /> : <p class="empty">Too few jobs have ended to say anything yet.</p>}
      {savings.notes.length > 0 && (
        <div class="notes">
          {savings.notes.map((note) => (
            <p>{note}</p>
          ))}
        </div>
      )}
    </>
  );
}

function SavingsTable({ rows, would }: { rows: SavingsRow[]; would: boolean }) {
  const range = shareRange(rows);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Savings by measure">
      <table class="small savings">
        <thead>
          <tr>
            <th scope="col">Measure</th>
            <th scope="col">
              former<span class="unit">simulated</span>
            </th>
            <th scope="col">
              policy<span class="unit">simulated</span>
            </th>
            <th scope="col">
              {would ? 'would save' : 'saved'}
              <span class="unit">change</span>
            </th>
            <th scope="col" class="interval">
              {signed(-range[1] * 100, 0)} % … 0{range[0] < 0 && ` … ${signed(-range[0] * 100, 0)} %`}
              <span class="unit">95 % interval</span>
            </th>
            <th scope="col">
              verdict<span class="unit">error of the models</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              <th scope="row">{row.name}</th>
              <td>{row.former}</td>
              <td>{row.policy}</td>
              <td>
                <strong>{row.saved}</strong>
              </td>
              <td class="interval">
                {row.share && <Interval share={row.share} range={range} label={`${row.name}: ${row.interval}`} />}
                <span class="unit">{row.interval}</span>
              </td>
              <td>
                <span class={row.verdict === 'less' ? 'good' : row.verdict === 'more' ? 'bad' : ''}>{row.verdict}</span>
                <span class="unit">{row.error}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/// A dot with its interval; what is saved lies left of the line at 0, as less is better.
function Interval({ share, range, label }: { share: { value: number; low: number; high: number }; range: [number, number]; label: string }) {
  const x = (part: number) => `${Math.min(100, Math.max(0, ((range[1] - part) / (range[1] - range[0])) * 100)).toFixed(1)}%`;
  return (
    <svg class="whisker" role="img" aria-label={label} width="100%" height="14">
      <line class="zero" x1={x(0)} x2={x(0)} y1="0" y2="14" />
      <line x1={x(share.high)} x2={x(share.low)} y1="7" y2="7" />
      <circle cx={x(share.value)} cy="7" r="3.5" />
    </svg>
  );
}
