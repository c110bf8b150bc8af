import {
  type ContainerSubject,
  reads,
  type RouteAccess,
  type Subject,
  writes,
} from '#platform/access/route-access.ts'

// Package managers talk to these routes: with the tokens of people, of jobs and with deploy tokens.

/** A route from which package managers read. */
export const readsPackages = (subject: Subject): { access: RouteAccess } =>
  reads(subject, {
    anonymous: true,
    jobToken: true,
    deployToken: ['read_package_registry', 'write_package_registry'],
    challenge: true,
  })

/** A route to which package managers publish. */
export const writesPackages = (subject: ContainerSubject): { access: RouteAccess } =>
  writes(subject, { jobToken: true, deployToken: ['write_package_registry'], challenge: true })
