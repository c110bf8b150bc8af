import { readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { words } from './tiers.ts'

const root = join(import.meta.dirname, '..')

/** Seconds of the files that take more than one. `npm run times` writes them. */
const times = JSON.parse(readFileSync(join(root, 'test/times.json'), 'utf8')) as Readonly<
  Record<string, number>
>

/** About how many seconds a file takes; a guess by its size where nobody has measured it. */
export const secondsOf = (file: string): number =>
  times[file] ?? Math.min(statSync(join(root, file)).size / 20_000, 1)

/** Files in the order in which they were named, and otherwise long ones first: begun last, they would leave other workers idle. */
export class LongFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const places = files.map((file) => {
      const path = relative(root, file.moduleId)
      return { file, named: words.findIndex((word) => path.includes(word)), seconds: secondsOf(path) }
    })
    return Promise.resolve(
      places.toSorted((a, b) => a.named - b.named || b.seconds - a.seconds).map(({ file }) => file),
    )
  }
}
