/** The names of tasks, which whoever takes in reports adds in the statement that writes them. */
export const CREATE_INCIDENT = 'alerts/create-incident'
export const CLOSE_INCIDENT = 'alerts/close-incident'
