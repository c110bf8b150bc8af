import { fact, type DetailsOf } from '#platform/facts/definitions.ts'
import type { Settings } from './definitions.ts'
import { type AuditedFacts, eventForEach, withSpaces } from '#platform/facts/audited.ts'
import { valueAsText } from '#platform/facts/changes.ts'

export const settingsFacts = {
  /** `before`: the former values of the same settings. */
  'settings changed': fact<{ changes: Partial<Settings>; before: Partial<Settings> }>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof settingsFacts> {}
}

export const auditedSettings: AuditedFacts = {
  'settings changed': eventForEach(['application_setting_updated'], function* ({ details }) {
    const before = new Map<string, unknown>(Object.entries(details.before))
    for (const [name, value] of Object.entries(details.changes)) {
      const [from, to] = [valueAsText(before.get(name)), valueAsText(value)]
      const change = withSpaces(name)
      if (from !== to) yield { event: 'application_setting_updated', details: { change, from, to } }
    }
  }),
}
