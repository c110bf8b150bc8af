/** Where pages about the integrations of a project are. */
export const PAGE = '/-/alert_integrations/:id'
export const pageOf = (projectId: number): string => PAGE.replace(':id', String(projectId))
