import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { createApiDocument } from '../../../src/gateway/openapi/api-document.ts';

/** One answer as a client saw it; `body` is the parsed body, or one parsed `data` of a stream. */
export interface SeenAnswer {
  readonly method: string;
  /** The path as it was requested, with its query. */
  readonly path: string;
  readonly status: number;
  readonly contentType: string | undefined;
  readonly body: unknown;
}

interface MediaTypes {
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}
type Operation = { readonly responses: Readonly<Record<string, MediaTypes>> };

const document = createApiDocument();
const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addSchema({ ...document, $id: 'orion' });

const templates = Object.keys(document.paths ?? {}).map((template) => ({
  template,
  // A literal segment wins over a parameter, so that `/status` is not taken for a session id.
  parameters: template.split('{').length - 1,
  pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
}));
templates.sort((a, b) => a.parameters - b.parameters);

const compiled = new Map<object, ValidateFunction>();
const validatorOf = (schema: object): ValidateFunction => {
  // References inside a part are resolved against the whole document.
  const whole = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"orion#/')) as object;
  const validate = compiled.get(schema) ?? ajv.compile(whole);
  compiled.set(schema, validate);
  return validate;
};

const operationOf = (method: string, pathname: string): Operation | undefined => {
  const paths = document.paths as Record<string, Record<string, Operation>>;
  for (const { template, pattern } of templates) {
    const operation = pattern.test(pathname) ? paths[template]?.[method.toLowerCase()] : undefined;
    if (operation) return operation;
  }
  return undefined;
};

/**
 * Returns why an answer does not fit the API description; undefined when it fits, or when the path is no route at all.
 */
export const mismatchOf = ({ method, path, status, contentType, body }: SeenAnswer): string | undefined => {
  const { pathname } = new URL(path, 'http://gateway');
  const seen = `${method} ${pathname} → ${status} ${contentType}`;
  const operation = operationOf(method, pathname);
  // Guards and the catch-all answer before a route is known.
  const response = operation?.responses[status] ?? operation?.responses['default'] ?? errorOnly(status);
  if (!response) return `${seen}: this route is not described`;
  const media = contentType?.split(';')[0];
  if (media === undefined) return response.content ? `${seen}: expected a body` : undefined;
  const schema = response.content?.[media]?.schema;
  if (!schema) {
    return `${seen}: expected one of ${Object.keys(response.content ?? {}).join(', ') || 'no body'}`;
  }
  const validate = validatorOf(schema);
  return validate(body)
    ? undefined
    : `${seen}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body)}`;
};

const errorOnly = (status: number): MediaTypes | undefined =>
  status >= 400
    ? { content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } }
    : undefined;

/** Throws when an answer does not fit the API description. */
export const requireMatch = (answer: SeenAnswer): void => {
  const misfit = mismatchOf(answer);
  if (misfit !== undefined) throw new Error(`the API description does not fit: ${misfit}`);
};

/** Returns every route that is described, as `GET /path`. */
export const describedRoutes = (): string[] =>
  Object.entries(document.paths ?? {}).flatMap(([template, operations]) =>
    Object.keys(operations as object).map((method) => `${method.toUpperCase()} ${template}`),
  );
