import { Type } from 'typebox'
import { readDuration } from './read-duration.ts'
import { invalidParameters } from '#platform/refusals.ts'
import { text } from '#platform/http/schema.ts'

const duration = (description: string) => text({ max: 255, filled: true, description })

export const Estimate = Type.Object({
  duration: duration(
    'A duration such as `3h30m` or `1w 2d`. A day has 8 hours, a week 5 days, a month 4 weeks.',
  ),
})

export const SpentTime = Type.Object({
  duration: duration('A duration; see the time estimate. With a minus, it takes time back: `-30m`.'),
  summary: Type.Optional(text({ max: 255, description: 'What the time was spent on.' })),
})

/** Reads a duration parameter. @returns seconds. @throws 400 */
export function durationIn(body: { readonly duration: string }): number {
  const seconds = readDuration(body.duration)
  if (seconds === undefined) {
    throw invalidParameters([{ name: 'duration', text: 'is invalid', missing: false }])
  }
  return seconds
}
