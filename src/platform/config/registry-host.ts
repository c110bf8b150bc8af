import type { ListenAddress } from './config-values.ts'

/** What the environment says about where images are. */
export interface RegistryConfig {
  /** Where clients reach images, without a slash at the end; undefined means where they reach the rest, or the address below. */
  readonly registryUrl: string | undefined
  /** Where the server also listens for clients of images; undefined means nowhere. */
  readonly registryAddress: ListenAddress | undefined
}

/** The host, with its port, that the names of images begin with. @param site where people and clients reach this server */
export function registryHost({ registryUrl, registryAddress }: RegistryConfig, site: string): string {
  if (registryUrl !== undefined) return new URL(registryUrl).host
  const { host, hostname } = new URL(site)
  return registryAddress === undefined ? host : `${hostname}:${registryAddress.port}`
}

/** The host at which nothing but images is; undefined where it is also that of the rest. */
export function hostOfImagesAlone(
  config: RegistryConfig & { readonly externalUrl: string | undefined },
): string | undefined {
  const { externalUrl } = config
  if (externalUrl === undefined) return undefined
  const host = registryHost(config, externalUrl)
  return host === new URL(externalUrl).host ? undefined : host
}
