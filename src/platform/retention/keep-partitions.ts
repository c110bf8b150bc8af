import { Type } from 'typebox'
import { defineTask } from '#platform/jobs/task.ts'
import type { SettingName } from '#platform/settings/definitions.ts'
import { readSettings } from '#platform/settings/settings.ts'
import { dropPartitions, emptyDefault, makePartitions, type Partitioned } from './partitions.ts'

/** What grows with every write, and the setting for the days that it is kept; 0 means for ever. */
const kept = [
  ['facts', 'facts_retention_days'],
  ['audit_events', 'audit_events_retention_days'],
  ['events', 'events_retention_days'],
  ['error_events', 'error_events_retention_days'],
  ['error_hours', 'error_events_retention_days'],
] as const satisfies readonly (readonly [Partitioned, SettingName])[]

/** Runs every day: makes the partitions of the next months and drops expired ones. */
export const keepPartitions = defineTask(
  'retention/keep-partitions',
  'long',
  Type.Object({}),
  async (_, job) => {
    const settings = await readSettings(job.db)
    for (const [table, setting] of kept) {
      const made = await makePartitions(job, table)
      const days = settings[setting]
      const dropped = days === 0 ? [] : await dropPartitions(job, table, days)
      if (days !== 0) await emptyDefault(job, table, days)
      if (made.length + dropped.length > 0) job.log.info({ table, made, dropped }, 'partitions kept up')
    }
  },
)
