import { useStore } from '../../parts/store';
import { fixed, withUnit } from '../../parts/units';
import type { History, SiteShown, Standing } from '../live/api-types';
import type { Live } from '../live/live';
import { AheadChart } from './ahead-chart';
import { energyText, massText } from './amounts';
import { Bar } from './bar';
import { Spark } from './spark';
import { between, clock } from './times';

const day = 86_400;

/// Every site: machines, what comes, what it has cost, and whether all is well.
export function Sites({ live }: { live: Live }) {
  const sites = useStore(live.sites);
  const history = useStore(live.history);
  const state = useStore(live.state);
  if (!state) return <p class="empty">Nothing is known of the sites yet.</p>;
  const now = Date.parse(state.now);
  return (
    <>
      {sites.map((site) => (
        <Site key={site.name} site={site} history={history} now={now} />
      ))}
    </>
  );
}

function Site({ site, history, now }: { site: SiteShown; history: History | null; now: number }) {
  const id = `site-${site.name.replace(/\W+/g, '-')}`;
  const price = site.price_unit ?? 'per kWh';
  return (
    <article class="site" aria-labelledby={id}>
      <header>
        <h3 id={id}>{site.name}</h3>
        <span class={site.acting ? 'word good' : 'word'}>{site.acting ? 'acts' : 'does not act'}</span>
        {site.failed_open && <span class="word bad">left its jobs to Slurm</span>}
      </header>
      <div class="panels">
        <div class="machines">
          <Power site={site} history={history} />
          <Gpus site={site} />
          <Health site={site} now={now} />
        </div>
        <AheadChart site={site.name} title="Price" unit={price} value={site.price} of="price" index={0} now={now} steps={site.ahead} until={site.foretold_until} />
        <AheadChart site={site.name} title="Carbon" unit="g/kWh" value={site.carbon_g_per_kwh} of="carbon_g_per_kwh" index={2} now={now} steps={site.ahead} until={site.foretold_until} />
      </div>
    </article>
  );
}

function Power({ site, history }: { site: SiteShown; history: History | null }) {
  const past = history?.sites.find((s) => s.name === site.name)?.power_w ?? [];
  const every = history?.every_s ?? 60;
  const peak = past.reduce<number>((most, v) => Math.max(most, v ?? 0), site.power_w);
  const limits = [
    { at: site.cap_w, name: 'cap', dashed: false },
    { at: site.budget_w, name: 'budget', dashed: true },
  ].filter((mark): mark is { at: number; name: string; dashed: boolean } => mark.at !== null);
  const over = limits.filter((mark) => site.power_w > mark.at);
  const most = Math.max(peak, ...limits.map((m) => m.at)) * 1.02;
  const said = [...limits.map((m) => `${m.name} ${withUnit(m.at, 'W')}`), past.length > 1 ? `24 h peak ${withUnit(peak, 'W')}` : ''].filter(Boolean).join(', ');
  return (
    <div class="gauge">
      <p class="figure">
        <strong>{withUnit(site.power_w, 'W')}</strong> <span class="muted">power{said && `; ${said}`}</span>
      </p>
      <Bar label={`Power ${withUnit(site.power_w, 'W')}${said && `; ${said}`}`} value={site.power_w} most={most} marks={limits} />
      {over.map((mark) => (
        <p class="trouble">
          ▲ over its {mark.name} by {withUnit(site.power_w - mark.at, 'W')}
        </p>
      ))}
      <Spark values={past} full={day / every} mark={site.cap_w} label={`Power of ${site.name} in the last 24 hours, up to ${withUnit(peak, 'W')}`} />
      <p class="ends muted" aria-hidden="true">
        <span>24 h ago{past.length < 60 && ' (known since the daemon was started)'}</span>
        <span>now</span>
      </p>
    </div>
  );
}

function Gpus({ site }: { site: SiteShown }) {
  const away = [site.nodes_asleep ? `${site.nodes_asleep} asleep` : '', site.nodes_down ? `${site.nodes_down} down` : ''].filter(Boolean);
  return (
    <div class="gauge">
      <p class="figure">
        <strong>
          {fixed(site.busy_gpus, 0)} of {fixed(site.gpus, 0)}
        </strong>{' '}
        <span class="muted">
          GPUs busy; {fixed(site.nodes, 0)} nodes{away.length > 0 && `, ${away.join(', ')}`}
        </span>
      </p>
      <Bar label={`${site.busy_gpus} of ${site.gpus} GPUs are busy`} value={site.busy_gpus} most={site.gpus} />
      <p class="figure">
        <strong>{fixed(site.running, 0)}</strong> <span class="muted">jobs run,</span> <strong>{fixed(site.queued, 0)}</strong> <span class="muted">wait</span>
      </p>
      <p class="muted">
        So far {energyText(site.energy_j)}
        {site.currency && `, ${fixed(site.cost, Math.abs(site.cost) < 1000 ? 2 : 0)} ${site.currency}`}, {massText(site.carbon_g)} CO₂
      </p>
    </div>
  );
}

function Health({ site, now }: { site: SiteShown; now: number }) {
  return (
    <ul class="health" aria-label={`Health of ${site.name}`}>
      <Line standing={site.backend} well="Slurm answers" ill="Slurm does not answer" now={now} />
      <Line standing={site.signals} well="Price and carbon are fresh" ill="Price and carbon are stale" now={now} />
    </ul>
  );
}

function Line({ standing, well, ill, now }: { standing: Standing; well: string; ill: string; now: number }) {
  const since = standing.since === null ? null : Date.parse(standing.since);
  return (
    <li class={standing.ok ? 'good' : 'bad'}>
      <span aria-hidden="true">{standing.ok ? '✓' : '✕'}</span>
      <span>
        {standing.ok ? well : ill}
        {since !== null && (
          <span class="muted">
            {' '}
            since {clock(since, now)} ({between(since, now)})
          </span>
        )}
        {!standing.ok && standing.text && <span class="why">{standing.text}</span>}
      </span>
    </li>
  );
}
