import { MAX_INT4 } from '#platform/http/schema.ts'
import { humanTime } from '#planning/time/human-time.ts'
import { readDuration } from '#planning/time/read-duration.ts'
import type { Draft } from './draft.ts'
import { shortened } from './names.ts'
import { done, type CommandOutcome, commandFailed } from './quick-action.ts'

/** Time tracking by commands. */
export const timeActions = {
  estimate: {
    aliases: ['estimate_time'],
    takes: '1w 3d 2h',
    does: 'Sets the time estimate. A day has 8 hours, a week 5 days, a month 4 weeks.',
    changes: 'time_estimate',
    run: estimate,
  },
  remove_estimate: {
    aliases: ['remove_time_estimate'],
    does: 'Removes the time estimate.',
    changes: 'time_estimate',
    run: ({ timeEstimate }: Draft) =>
      timeEstimate === 0
        ? commandFailed('There is no time estimate.')
        : done('Removed the time estimate.', { timeEstimate: 0 }),
  },
  spend: {
    aliases: ['spent', 'spend_time'],
    takes: '1h 30m, -30m, or 1h 2026-01-31',
    does: 'Adds time that you spent, today or on that day. With a minus, it takes time back.',
    changes: 'spend_time',
    run: spend,
  },
  remove_time_spent: {
    does: 'Removes all spent time.',
    changes: 'spend_time',
    run: () => done('Removed all spent time.', { spending: { duration: 'reset', spent_at: null } }),
  },
} as const

function estimate(_: Draft, args: string): CommandOutcome {
  const seconds = readDuration(args)
  if (seconds === undefined || seconds < 0 || seconds > MAX_INT4) return noDuration(args)
  return done(`Set the time estimate to ${humanTime(seconds)}.`, { timeEstimate: seconds })
}

const WITH_DAY = /^(?<duration>.*?)(?:\s+(?<day>\d{4}-\d{2}-\d{2}))?$/s

function spend({ spending }: Draft, args: string, { today }: { readonly today: string }): CommandOutcome {
  const { duration = '', day = null } = WITH_DAY.exec(args)?.groups ?? {}
  const seconds = readDuration(duration)
  if (seconds === undefined || seconds === 0 || Math.abs(seconds) > MAX_INT4) return noDuration(duration)
  if (day !== null && (Number.isNaN(Date.parse(day)) || day > today))
    return commandFailed(`Time is spent on a day up to today, not on ${day}.`)
  if (spending !== null) return commandFailed('A comment adds or removes spent time once.')
  const said = humanTime(Math.abs(seconds))
  return done(`${seconds < 0 ? 'Took back' : 'Added'} ${said} of spent time.`, {
    spending: { duration: seconds, spent_at: day },
  })
}

const noDuration = (args: string) =>
  commandFailed(`“${shortened(args)}” is no duration: write 3h 30m, for example.`)
