import type { ComponentChildren } from 'preact';

export interface Option {
  value: string;
  text: string;
}

/// A labelled choice.
export function Choose({ label, value, options, onChange }: { label: string; value: string; options: Option[]; onChange: (value: string) => void }) {
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={(e) => onChange(e.currentTarget.value)}>
        {options.map((o) => (
          <option value={o.value} selected={o.value === value}>
            {o.text}
          </option>
        ))}
      </select>
    </label>
  );
}

/// A labelled yes or no.
export function Check({ label, value, onChange }: { label: string; value: boolean; onChange: (value: boolean) => void }) {
  return (
    <label class="check">
      <input type="checkbox" checked={value} onChange={(e) => onChange(e.currentTarget.checked)} />
      {label}
    </label>
  );
}

export function Controls({ children }: { children: ComponentChildren }) {
  return <div class="controls">{children}</div>;
}
