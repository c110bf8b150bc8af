/** What was measured, beside what is wanted. */
export interface Measure {
  readonly what: string
  readonly figure: string
  readonly budget: string
  readonly met: boolean
  /** What can be compared with other machines, and with bench/baseline.json. */
  readonly ratio?: { readonly value: number; readonly better: 'higher' | 'lower' }
}

/** How long to measure. A longer run has less noise. */
export interface Effort {
  /** Of load at a time. */
  readonly seconds: number
  /** How often to repeat. Results are medians. */
  readonly rounds: number
}

/** A share of something that should be large. */
export const atLeast = (what: string, value: number, budget: number, figure = value.toFixed(2)): Measure => ({
  what,
  figure,
  budget: `≥ ${budget}`,
  met: value >= budget,
  ratio: { value, better: 'higher' },
})

/** A count, time or size that should be small. */
export const atMost = (what: string, value: number, budget: number, figure = String(value)): Measure => ({
  what,
  figure,
  budget: `≤ ${budget}`,
  met: value <= budget,
})

/** A figure without a budget. */
export const reported = (what: string, figure: string, ratio?: Measure['ratio']): Measure => ({
  what,
  figure,
  budget: '',
  met: true,
  ...(ratio === undefined ? {} : { ratio }),
})

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

export function print(title: string, measures: readonly Measure[]): void {
  console.log(`\n${title}`)
  const width = (of: 'what' | 'figure') => Math.max(...measures.map((measure) => measure[of].length))
  for (const { what, figure, budget, met } of measures) {
    const line = `${met ? '✓' : '✗'} ${what.padEnd(width('what'))}  ${figure.padStart(width('figure'))}  ${budget}`
    console.log(line.trimEnd())
  }
}
