/** How bad an incident is. Null in the database stands for unknown. */
export const issueSeverities = ['low', 'medium', 'high', 'critical'] as const
export type IssueSeverity = (typeof issueSeverities)[number]
