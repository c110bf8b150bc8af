import { Type } from 'typebox'
import { defineTask } from '#platform/jobs/task.ts'
import type { SettingName } from '#platform/settings/definitions.ts'
import { readSettings } from '#platform/settings/settings.ts'
import { dropPartitions, emptyDefault, makePartitions, type Partitioned } from './partitions.ts'

/** What grows with every write, and the setting that says after how many days it goes; 0 is never. */
const kept = [
  ['facts', 'facts_retention_days'],
  ['audit_events', 'audit_events_retention_days'],
] as const satisfies readonly (readonly [Partitioned, SettingName])[]

/** Every day: makes the partitions of the next months and drops those whose time is over. */
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
