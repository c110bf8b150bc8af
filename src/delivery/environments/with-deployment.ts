import { entity, nullable } from '#platform/http/schema.ts'
import { LastDeployment } from '../deployments/entity.ts'
import { Environment } from './entity.ts'

/** An environment by itself, with what was deployed there last. */
export const EnvironmentWithDeployment = entity('EnvironmentWithDeployment', {
  ...Environment.properties,
  last_deployment: nullable(LastDeployment),
})
