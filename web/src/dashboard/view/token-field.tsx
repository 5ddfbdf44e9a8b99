interface Props {
  text: string;
  keep: boolean;
  onText: (text: string) => void;
  onKeep: (keep: boolean) => void;
}

/// Asks for the daemon's token.
export function TokenField({ text, keep, onText, onKeep }: Props) {
  return (
    <>
      <label class="field wide">
        <span>Token (the first line of the daemon's token file)</span>
        <input type="password" name="token" autocomplete="off" spellcheck={false} required value={text} onInput={(e) => onText(e.currentTarget.value)} />
      </label>
      <label class="check">
        <input type="checkbox" checked={keep} onChange={(e) => onKeep(e.currentTarget.checked)} />
        keep it in this tab until it is closed
      </label>
    </>
  );
}
