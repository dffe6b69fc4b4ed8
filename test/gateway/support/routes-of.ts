import type { Express } from 'express';

/** The fields of a layer of Express's router (node_modules/router/lib/layer.js). */
interface Layer {
  readonly rawPath: string;
  readonly handle: { readonly stack?: readonly Layer[] };
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
}

/** Returns every route of an app as `METHOD /path/:parameter`. */
export const routesOf = (app: Express): string[] =>
  collect((Object(app.router) as { stack: readonly Layer[] }).stack, '');

const collect = (layers: readonly Layer[], prefix: string): string[] =>
  layers.flatMap(({ rawPath, handle, route }) => {
    if (route) {
      const path = `${prefix}${route.path}`.replace(/(.)\/$/, '$1');
      return Object.keys(route.methods).map((method) => `${method.toUpperCase()} ${path}`);
    }
    return handle.stack ? collect(handle.stack, rawPath === '/' ? prefix : `${prefix}${rawPath}`) : [];
  });
