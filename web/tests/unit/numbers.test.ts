import { describe, expect, test } from 'vitest';
import { csv } from '../../src/parts/csv';
import { durationTicks, linearTicks, logTicks, moment, timeTicks } from '../../src/parts/ticks';
import { changeOf, decimalsFor, duration, fixed, plain, scaleFor, short, signed, withUnit } from '../../src/parts/units';

describe('units', () => {
  test.each([
    ['s', 299, 's'], ['s', 300, 'min'], ['s', 18000, 'h'], ['s', 864000, 'd'],
    ['kWh', 99999, 'kWh'], ['kWh', 1e5, 'MWh'], ['kWh', 1e8, 'GWh'], ['kg', 1e5, 't'],
    ['W', 999, 'W'], ['W', 4200, 'kW'], ['W', 3e6, 'MW'], ['share', 0.4, '%'], ['ratio', 12, ''], ['EUR', 5e6, 'EUR'],
  ])('%s up to %d read in %s', (unit, most, expected) => expect(scaleFor(unit, most).unit).toBe(expected));

  test('a column has as many decimals as its least value needs', () => {
    expect(decimalsFor([14.09, 2.59])).toBe(2);
    expect(decimalsFor([128, 148])).toBe(0);
    expect(decimalsFor([56.8, 49])).toBe(1);
    expect(decimalsFor([0.0123, 0.5])).toBe(3);
    expect(decimalsFor([1e-9, 5])).toBe(2);
    expect(decimalsFor([0, NaN])).toBe(0);
  });

  test('numbers have groups, a real minus, and a dash where there is none', () => {
    expect(fixed(1234.5, 1)).toBe('1,234.5');
    expect(fixed(-3, 0)).toBe('−3');
    expect(fixed(-0.001, 1)).toBe('0.0');
    expect([fixed(NaN, 2), fixed(null, 2), short(undefined), withUnit(NaN, 's'), duration(NaN)]).toEqual(['–', '–', '–', '–', '–']);
    expect(short(0.012345)).toBe('0.0123');
    expect([plain(20), plain(0.30000000000000004), plain(1200)]).toEqual(['20', '0.3', '1,200']);
    expect(withUnit(7200000, 'W')).toBe('7.20 MW');
    expect(withUnit(3, 'jobs')).toBe('3 jobs');
  });

  test('changes are parts of what is above 0', () => {
    expect(changeOf(3, 4)).toBe(-0.25);
    expect(changeOf(3, 0)).toBeNull();
    expect(changeOf(3, -1)).toBeNull();
    expect([signed(5, 1), signed(-5, 1), signed(0.001, 1)]).toEqual(['+5.0', '−5.0', '0.0']);
  });

  test('durations are spoken', () => {
    expect([0, 0.25, 45, 600, 7500, 200000].map(duration)).toEqual(['0 s', '250 ms', '45 s', '10 min', '2 h 05 min', '2 d 8 h']);
  });
});

describe('axes', () => {
  test('stand at round numbers', () => {
    expect(linearTicks(0, 10, 5)).toEqual([0, 2, 4, 6, 8, 10]);
    expect(linearTicks(-1, 1, 4)).toEqual([-1, -0.5, 0, 0.5, 1]);
    expect(logTicks(1, 1000, 4)).toEqual([1, 10, 100, 1000]);
    expect(logTicks(1, 10, 6)).toEqual([1, 2, 5, 10]);
    expect(durationTicks(50, 90000, 10).text).toEqual(['1 min', '10 min', '1 h', '6 h', '1 d']);
  });

  test('of time stand at midnights of the calendar', () => {
    const origin = Date.parse('2022-03-01T06:00:00Z');
    const ticks = timeTicks(0, 3 * 86400, 3, origin);
    expect(ticks.text).toEqual(['2 Mar', '3 Mar', '4 Mar']);
    expect(ticks.at[0]).toBe(18 * 3600);
    expect(timeTicks(0, 7200, 4, origin).text).toEqual(['06:00', '06:30', '07:00', '07:30', '08:00']);
    expect(timeTicks(0, 400 * 86400, 6, origin).text).toContain('Jan 2023');
    expect(timeTicks(0, 4 * 86400, 4, null).text).toEqual(['0 d', '1 d', '2 d', '3 d', '4 d']);
    expect(timeTicks(5, 5, 4, null).at).toEqual([]);
  });

  test('name moments in UTC', () => {
    expect(moment(90, Date.parse('2022-03-01T00:00:00Z'))).toBe('Tue 1 Mar 2022 00:01:30 UTC');
    expect(moment(90061, null)).toBe('1 d 01:01:01');
  });
});

test('CSV quotes what must be and defuses formulas', () => {
  expect(csv(['a', 'b'], [['x,"y"', 1.5], ['=1+1', NaN], [null, -2]])).toBe('a,b\r\n"x,""y""",1.5\r\n\'=1+1,\r\n,-2\r\n');
});
