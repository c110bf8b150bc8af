const UNITS: Record<string, number> = {
  s: 1,
  sec: 1,
  second: 1,
  m: 60,
  min: 60,
  minute: 60,
  h: 3600,
  hr: 3600,
  hour: 3600,
  d: 86_400,
  day: 86_400,
  w: 604_800,
  wk: 604_800,
  week: 604_800,
  mo: 2_592_000,
  mos: 2_592_000,
  month: 2_592_000,
  y: 31_557_600,
  yr: 31_557_600,
  year: 31_557_600,
}

/** Seconds of a time as people write it (`1 hour 30 minutes`, `3h`, `90`); undefined if it is none. */
export function durationOf(text: string): number | undefined {
  if (text.length > 100) return undefined
  if (/^\d+(?:\.\d+)?$/.test(text.trim())) return Number(text)
  let sum = 0
  const rest = text.replaceAll(
    /(\d+(?:\.\d+)?)\s*([a-z]+)\s*,?\s*(?:and\s+)?/gi,
    (all, count: string, word: string) => {
      const unit = word.toLowerCase()
      const seconds = UNITS[unit] ?? UNITS[unit.replace(/s$/, '')]
      if (seconds === undefined) return all
      sum += Number(count) * seconds
      return ''
    },
  )
  return rest.trim() === '' && text.trim() !== '' ? Math.round(sum) : undefined
}
