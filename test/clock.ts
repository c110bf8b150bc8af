import type { Clock } from '#platform/context.ts'

let held: Date | undefined

/** The clock of the server under test: the real time unless a test holds it. */
export const clock: Clock & { hold(moment: string): void; release(): void } = {
  now: () => held ?? new Date(),
  hold: (moment) => {
    held = new Date(moment)
  },
  release: () => {
    held = undefined
  },
}
