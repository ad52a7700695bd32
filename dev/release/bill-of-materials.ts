/**
 * The packages that the service runs, out of the bill that npm makes of all packages. `npm sbom --omit dev` also leaves out
 * packages that production shares with the tools of development, such as koa.
 */

export interface Bill {
  metadata: { component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

interface Component {
  'bom-ref': string;
  name: string;
  properties?: { name: string; value: string }[];
}

export interface LockFile {
  name: string;
  packages: Record<string, { name?: string; version: string; dev?: true }>;
}

const DEVELOPMENT = 'cdx:npm:package:development';

export function keepProduction(bill: Bill, lock: LockFile): Bill {
  const kept = productionPackages(lock);
  const { component } = bill.metadata;
  const root = component['bom-ref'];
  return {
    ...bill,
    // npm names it after the folder of the checkout.
    metadata: { ...bill.metadata, component: { ...component, name: lock.name } },
    components: bill.components.filter((each) => kept.has(each['bom-ref'])).map(withoutDevelopment),
    dependencies: bill.dependencies
      .filter(({ ref }) => ref === root || kept.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => kept.has(each)) })),
  };
}

/** As `name@version`. */
export const productionPackages = ({ packages }: LockFile): Set<string> =>
  new Set(
    Object.entries(packages)
      .filter(([path, { dev }]) => path !== '' && !dev)
      .map(([path, { name, version }]) => `${name ?? path.split('node_modules/').at(-1)}@${version}`),
  );

/** A package of both kinds has the mark of the tools where npm met that place first. */
const withoutDevelopment = (component: Component): Component => ({
  ...component,
  properties: component.properties?.filter(({ name }) => name !== DEVELOPMENT),
});
