/** The parameters of a list of projects, for features that have one. */
export { ProjectFilter } from './parameters.ts'
