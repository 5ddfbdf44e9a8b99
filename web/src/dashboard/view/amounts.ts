import { fixed, withUnit } from '../../parts/units';

/// Joules as "12 Wh", "3.4 kWh", "1.2 MWh".
export function energyText(joules: number): string {
  const wattHours = joules / 3600;
  return wattHours < 1000 ? `${fixed(wattHours, wattHours < 10 ? 1 : 0)} Wh` : withUnit(wattHours / 1000, 'kWh');
}

/// Grams as "12 g", "3.4 kg", "1.2 t".
export function massText(grams: number): string {
  return Math.abs(grams) < 1000 ? `${fixed(grams, Math.abs(grams) < 10 ? 1 : 0)} g` : withUnit(grams / 1000, 'kg');
}
