/// Does one thing when it is asked to, at once if it may, but not more often than every `gap` ms and never twice at a
/// time. Being asked a thousand times meanwhile means once more afterwards.
export class Pace {
  private timer: ReturnType<typeof setTimeout> | null = null;
  private busy = false;
  private again = false;
  private last = -Infinity;
  constructor(
    private readonly gap: number,
    private readonly what: () => Promise<void>,
    /// How long it waits at least, for what comes together.
    private readonly lead = 0,
  ) {}

  ask(): void {
    if (this.busy) this.again = true;
    else if (this.timer === null) this.timer = setTimeout(() => void this.go(), Math.max(this.lead, this.last + this.gap - Date.now()));
  }

  /// Not wanted any more.
  stop(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.again = false;
  }

  private async go(): Promise<void> {
    this.timer = null;
    this.busy = true;
    this.last = Date.now();
    try {
      await this.what();
    } finally {
      this.busy = false;
      if (this.again) {
        this.again = false;
        this.ask();
      }
    }
  }
}
