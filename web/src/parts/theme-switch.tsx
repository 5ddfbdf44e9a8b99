import { useStore } from './store';
import { choice, type Choice } from './theme';

const words: Record<Choice, string> = { auto: 'as the system', light: 'light', dark: 'dark' };

/// Chooses between light, dark and what the system says.
export function ThemeSwitch() {
  const now = useStore(choice);
  return (
    <label class="theme check">
      <span class="hidden">Colours</span>
      <select value={now} onChange={(e) => choice.set(e.currentTarget.value as Choice)}>
        {Object.entries(words).map(([value, text]) => (
          <option value={value}>{value === 'auto' ? `Colours ${text}` : `Colours: ${text}`}</option>
        ))}
      </select>
    </label>
  );
}
