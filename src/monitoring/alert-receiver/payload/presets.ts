import type { Severity } from './report.ts'
import type { MappedField } from './fields.ts'

/** How payloads of a well-known program are read that does not send our fields. */
export interface Preset {
  readonly about: string
  readonly mapping: Readonly<Partial<Record<MappedField, readonly string[]>>>
  /** An alert is over when one of these paths leads to one of these values. */
  readonly recovered: readonly { readonly path: string; readonly values: readonly string[] }[]
  /** Words of the program for severities, in lower case. */
  readonly severities: Readonly<Record<string, Severity>>
}

export const presetNames = ['grafana', 'healthchecks', 'uptime_kuma', 'zabbix'] as const
export type PresetName = (typeof presetNames)[number]

export const isPresetName = (name: string): name is PresetName => presetNames.some((one) => one === name)

/** The programs that are known. Their newer webhooks may be of the metrics format already; then nothing here is asked. */
export const presets: Readonly<Record<PresetName, Preset>> = {
  grafana: {
    about:
      'Grafana: its contact point “webhook” (the metrics format), and the older alerting of a dashboard.',
    mapping: {
      title: ['ruleName', 'title'],
      description: ['message'],
      fingerprint: ['ruleId', 'ruleName'],
      service: ['ruleUrl'],
      severity: ['tags.severity'],
    },
    recovered: [{ path: 'state', values: ['ok', 'paused'] }],
    severities: { warning: 'low', error: 'medium' },
  },
  healthchecks: {
    about: 'Healthchecks: a webhook with `name`, `code`, `status` and `time` in its body.',
    mapping: {
      title: ['name', 'check', 'check_name'],
      description: ['description', 'desc', 'tags'],
      fingerprint: ['code', 'uuid', 'check_id', 'name'],
      start_time: ['time', 'now'],
    },
    recovered: [{ path: 'status', values: ['up'] }],
    severities: {},
  },
  uptime_kuma: {
    about: 'Uptime Kuma: the notification “webhook” with its preset body.',
    mapping: {
      title: ['monitor.name', 'msg'],
      description: ['msg', 'heartbeat.msg'],
      fingerprint: ['monitor.id', 'heartbeat.monitorID', 'monitor.name'],
      start_time: ['heartbeat.time'],
      hosts: ['monitor.hostname', 'monitor.url'],
      service: ['monitor.type'],
    },
    recovered: [{ path: 'heartbeat.status', values: ['1'] }],
    severities: {},
  },
  zabbix: {
    about: 'Zabbix: a media type “webhook” that sends its parameters as they are.',
    mapping: {
      title: ['event_name', 'trigger_name', 'alert_subject', 'subject'],
      description: ['trigger_description', 'event_opdata', 'alert_message', 'message'],
      fingerprint: ['event_id', 'eventid', 'trigger_id'],
      hosts: ['host_name', 'host', 'host_ip'],
      severity: ['event_severity', 'trigger_severity', 'severity'],
    },
    recovered: [
      { path: 'event_value', values: ['0'] },
      { path: 'status', values: ['ok', 'resolved'] },
      { path: 'event_status', values: ['ok', 'resolved'] },
      { path: 'trigger_status', values: ['ok'] },
    ],
    severities: {
      disaster: 'critical',
      high: 'high',
      average: 'medium',
      warning: 'low',
      information: 'info',
      'not classified': 'unknown',
    },
  },
}
