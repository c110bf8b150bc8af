import type { Feature } from '#platform/feature.ts'
import { auditEventAbilities } from './abilities.ts'
import { auditEvents as recordAuditEvents } from './record-audit-events.ts'
import { auditEventRoutes } from './routes.ts'

/** Audit events. */
export const auditEvents: Feature = {
  areas: [
    {
      name: 'Audit events',
      about: 'Audit events: who signed in, got access, or changed settings.',
      segments: ['audit_events'],
    },
  ],
  routes: [auditEventRoutes],
  abilities: auditEventAbilities,
  consumers: [recordAuditEvents],
}
