import { readFile, writeFile } from 'node:fs/promises'
import type { Measure } from './measures.ts'

/** The ratios of an earlier run, by what was measured. Times would say more about the machine than about the program. */
export type Baseline = Readonly<Record<string, number>>

const file = new URL('baseline.json', import.meta.url)

/** A ratio that changes by less than this factor may be noise. */
const NOISE = 1.25

export const readBaseline = async (): Promise<Baseline> => JSON.parse(await readFile(file, 'utf8'))

/** What got worse, one line each. */
export function worse(measures: readonly Measure[], baseline: Baseline): string[] {
  return measures.flatMap(({ what, ratio }) => {
    const before = baseline[what]
    if (ratio === undefined || before === undefined) return []
    const factor = ratio.better === 'higher' ? before / ratio.value : ratio.value / before
    return factor > NOISE
      ? [`${what}: ${before.toFixed(2)} → ${ratio.value.toFixed(2)} (${factor.toFixed(1)} times worse)`]
      : []
  })
}

/** How many ratios have nothing to be compared with. */
export const without = (measures: readonly Measure[], baseline: Baseline): number =>
  measures.filter(({ what, ratio }) => ratio !== undefined && !(what in baseline)).length

/** Keeps the ratios of this run. Those of what it did not measure stay. */
export async function save(measures: readonly Measure[], baseline: Baseline): Promise<void> {
  const found = measures.flatMap(({ what, ratio }) =>
    ratio !== undefined && Number.isFinite(ratio.value) ? [[what, Number(ratio.value.toPrecision(3))]] : [],
  )
  await writeFile(file, `${JSON.stringify({ ...baseline, ...Object.fromEntries(found) }, null, 2)}\n`)
}
