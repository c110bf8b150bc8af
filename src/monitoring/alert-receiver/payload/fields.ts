/** The fields that people map, by their names in the API. */
export const mappedFields = [
  'title',
  'description',
  'start_time',
  'end_time',
  'service',
  'monitoring_tool',
  'hosts',
  'severity',
  'fingerprint',
  'service_environment_name',
] as const
export type MappedField = (typeof mappedFields)[number]
