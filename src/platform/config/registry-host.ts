import type { Config } from './config.ts'

/** The host, with its port, that the names of images begin with. @param site where people and clients reach this server */
export const registryHost = ({ registryUrl }: Pick<Config, 'registryUrl'>, site: string): string =>
  new URL(registryUrl ?? site).host
