import { Type } from 'typebox'
import { readDuration } from './read-duration.ts'
import { invalidParameters } from '#platform/http/errors.ts'
import { text } from '#platform/http/schema.ts'

const duration = (description: string) => text({ max: 255, filled: true, description })

export const Estimate = Type.Object({
  duration: duration(
    'As people write it: `3h30m`, `1w 2d`. A day has 8 hours, a week 5 days, a month 4 weeks.',
  ),
})

export const SpentTime = Type.Object({
  duration: duration('The same; with a minus before it the time is taken back: `-30m`.'),
  summary: Type.Optional(text({ max: 255, description: 'What it was spent on.' })),
})

/** @returns seconds. @throws 400 */
export function durationIn(body: { readonly duration: string }): number {
  const seconds = readDuration(body.duration)
  if (seconds === undefined) {
    throw invalidParameters([{ name: 'duration', text: 'is invalid', missing: false }])
  }
  return seconds
}
