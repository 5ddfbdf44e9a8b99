// A made-up world for reports: jobs, sites and a rough list scheduler, so that pictures look like real ones.
// Nothing here is a result.

/// Numbers in [0, 1) that are the same for the same seed.
export function random(seed) {
  let s = seed >>> 0;
  return () => {
    s = (s + 0x6d2b79f5) >>> 0;
    let t = Math.imul(s ^ (s >>> 15), s | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/// Jobs in order of submission: [{submitted, gpus, work, user, home, deadline, name}], times in seconds.
export function makeJobs({ jobs, days, sites, seed, load, gpus }) {
  const r = random(seed);
  const out = [];
  const mean = (load * gpus * days * 86400) / jobs;
  for (let i = 0; i < jobs; ++i) {
    const hour = r() < 0.6 ? 8 + r() * 10 : r() * 24;
    const size = [1, 1, 1, 1, 1, 2, 2, 4, 4, 8, 8, 16, 32][Math.floor(r() * 13)];
    const long = Math.exp(3 + 6.6 * r() + (r() < 0.07 ? 1.6 : 0));
    out.push({ submitted: Math.floor(Math.floor(r() * days) * 86400 + hour * 3600), gpus: Math.min(size, Math.floor(gpus / sites / 2)), long, user: Math.floor(60 * r() ** 2), home: Math.floor(r() ** 1.6 * sites) });
  }
  const sum = out.reduce((s, j) => s + j.long * j.gpus, 0) / jobs;
  for (const j of out) {
    j.work = Math.max(5, Math.round((j.long * mean) / sum));
    j.deadline = r() < 0.5 ? Math.round(j.work * (1.1 + 2 * r()) + 600) : null;
  }
  out.sort((a, b) => a.submitted - b.submitted);
  const first = out[0]?.submitted ?? 0;
  out.forEach((j, i) => {
    j.submitted -= first;
    j.name = `application_15${String(1_0000_0000 + i * 37)}_${String(i).padStart(5, '0')}`;
  });
  return out;
}

/// Runs `jobs` on sites of nodes with 8 GPUs: where each was and when. `look` is how many nodes are looked at: more finds
/// earlier starts. `cut` splits jobs into stretches, `clock` slows them.
export function schedule(jobs, sites, { look, cut, clock, roam, seed }) {
  const r = random(seed);
  const free = new Float64Array(sites.reduce((s, x) => s + x.gpus, 0));
  const stretches = [];
  const done = jobs.map((job, row) => {
    let s = job.home;
    if (r() < roam) s = Math.floor(r() * sites.length);
    const { first, gpus } = sites[s];
    const nodes = Math.max(1, Math.floor(gpus / 8));
    let best = null;
    for (let k = 0; k < look; ++k) {
      const wide = Math.min(nodes, Math.ceil(job.gpus / 8));
      const node = Math.floor(r() * (nodes - wide + 1));
      const low = first + node * 8;
      const range = Array.from({ length: Math.min(wide * 8, gpus) }, (_, i) => low + i).sort((a, b) => free[a] - free[b]);
      const chosen = range.slice(0, job.gpus);
      const at = Math.max(job.submitted, ...chosen.map((g) => free[g]));
      if (!best || at < best.at) best = { at, chosen };
      if (at === job.submitted) break;
    }
    const start = Math.ceil(best.at);
    const took = Math.max(1, Math.round(job.work / (0.4 + 0.6 * clock)));
    const pieces = 1 + Math.floor(r() * r() * cut);
    let from = start;
    const ranges = asRanges(best.chosen);
    for (let p = 0; p < pieces && from < start + took; ++p) {
      const to = p === pieces - 1 ? start + took : Math.min(start + took, from + Math.max(1, Math.round((took / pieces) * (0.6 + 0.8 * r()))));
      const mhz = Math.round((700 + 710 * clock * (pieces > 1 ? 0.6 + 0.4 * r() : 1)) / 15) * 15;
      for (const [gpu, count] of ranges) stretches.push({ job: row, from, length: to - from, gpu, count, clock: mhz, end: to === start + took ? 0 : p % 3 === 0 ? 2 : p % 3 === 1 ? 5 : 3 });
      from = to;
    }
    for (const g of best.chosen) free[g] = start + took;
    return { start, took, site: s, pieces, clock: 700 + 710 * clock };
  });
  stretches.sort((a, b) => a.from - b.from);
  return { done, stretches };
}

function asRanges(gpus) {
  const out = [];
  for (const g of [...gpus].sort((a, b) => a - b)) {
    const last = out[out.length - 1];
    if (last && last[0] + last[1] === g) ++last[1];
    else out.push([g, 1]);
  }
  return out;
}

export const priceAt = (site, t) => 0.2 + 0.05 * site + 0.11 * Math.sin(((t / 3600 - 8 + site * 5) / 24) * 2 * Math.PI) + 0.03 * Math.sin(t / 40000 + site);
export const carbonAt = (site, t) => 330 + 60 * site + 120 * Math.sin(((t / 3600 - 3 + site * 5) / 24) * 2 * Math.PI) + 40 * Math.sin(t / 70000 + site);
