/// Nodes of one kind, one after the other: how many, with how many GPUs each and of which type.
export type NodeRuns = readonly (readonly [number, number, string, number])[];

export interface SiteRows {
  name: string;
  firstGpu: number;
  gpus: number;
  /// Empty where nothing is known of nodes: then GPUs are only numbers.
  nodes: NodeRuns;
}

export interface Place {
  site: string;
  node: number | null;
  gpu: number;
  type: string;
}

/// Names of GPUs: site, node of the site, and place in the node.
export class GpuRows {
  /// First GPU of every node, rising; and of every site.
  readonly nodeStarts: Float64Array;
  private readonly nodeSite: Int32Array;
  private readonly nodeNumber: Int32Array;
  private readonly types: string[];

  constructor(readonly sites: readonly SiteRows[]) {
    const starts: number[] = [];
    const site: number[] = [];
    const number: number[] = [];
    this.types = [];
    sites.forEach((s, k) => {
      let gpu = s.firstGpu;
      let node = 0;
      for (const [count, size, type] of s.nodes)
        for (let i = 0; i < count; ++i, gpu += size) {
          starts.push(gpu);
          site.push(k);
          number.push(node++);
          this.types.push(type);
        }
    });
    this.nodeStarts = Float64Array.from(starts);
    this.nodeSite = Int32Array.from(site);
    this.nodeNumber = Int32Array.from(number);
  }

  get total(): number {
    return this.sites.reduce((most, s) => Math.max(most, s.firstGpu + s.gpus), 0);
  }

  /// The index in `nodeStarts` of the node that has `gpu`; −1 where nodes are not known.
  nodeOf(gpu: number): number {
    let low = 0;
    let high = this.nodeStarts.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (this.nodeStarts[mid] <= gpu) low = mid + 1;
      else high = mid;
    }
    return low - 1;
  }

  place(gpu: number): Place {
    const n = this.nodeOf(gpu);
    const site = this.sites.find((s) => gpu >= s.firstGpu && gpu < s.firstGpu + s.gpus)?.name ?? '';
    if (n < 0) return { site, node: null, gpu, type: '' };
    return { site, node: this.nodeNumber[n], gpu: gpu - this.nodeStarts[n], type: this.types[n] };
  }

  /// The name of a node, cut by `fit` in its site's part if it must be: "quebec 12", "node 12".
  nodeLabel(n: number, fit: (text: string, after: string) => string = (text) => text): string {
    const number = ` ${this.nodeNumber[n]}`;
    return fit(this.sites.length > 1 ? this.sites[this.nodeSite[n]].name : 'node', number) + number;
  }
}
