"""What a cluster is given is valid, safe, and says the same as the code. Each check is also shown a mistake."""

import copy
import functools
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import yaml

import agree
import code_facts
import figures
import render
import rules
import schemas
import tilt

HERE = pathlib.Path(__file__).parent


@functools.cache
def rendered() -> dict[str, dict[str, list[dict]]]:
    return render.everything()


@functools.cache
def code() -> code_facts.Code:
    return code_facts.read(pathlib.Path(os.environ["TROUPE_BINARIES"]))


def whole(overlay: str) -> list[dict]:
    """Everything of an overlay, as a copy that may be spoiled."""
    return copy.deepcopy([o for stage in rendered()[overlay].values() for o in stage])


def find(objects: list[dict], kind: str, name: str) -> dict:
    return next(o for o in objects if (o["kind"], o["metadata"]["name"]) == (kind, name))


def container(objects: list[dict], name: str) -> dict:
    return find(objects, "Deployment", name)["spec"]["template"]["spec"]["containers"][0]


class Valid(unittest.TestCase):
    """Every field is one that the API knows."""

    def test_everything_is_what_its_api_takes(self) -> None:
        for overlay in render.OVERLAYS:
            self.assertEqual(schemas.complaints(whole(overlay)), [], overlay)

    def test_unknown_missing_and_wrong_fields_are_noticed(self) -> None:
        objects = whole("prod")
        container(objects, "chat")["readinesProbe"] = {}
        find(objects, "ScaledObject", "media-worker")["spec"]["maxReplicas"] = 3
        find(objects, "Cluster", "auth-db")["spec"]["instances"] = "three"
        del find(objects, "ServiceMonitor", "rabbitmq")["spec"]["selector"]
        find(objects, "RabbitmqCluster", "rabbitmq")["spec"]["replica"] = 3
        find(objects, "ExternalSecret", "auth")["spec"]["data"][0]["remoteRef"].pop("key")
        wrong = {c.split(":")[0] for c in schemas.complaints(objects)}
        self.assertEqual(
            wrong,
            {
                "Deployment chat",
                "ScaledObject media-worker",
                "Cluster auth-db",
                "ServiceMonitor rabbitmq",
                "RabbitmqCluster rabbitmq",
                "ExternalSecret auth",
            },
        )


class Agreement(unittest.TestCase):
    """The manifests and the code."""

    def test_the_manifests_say_what_the_code_says(self) -> None:
        for overlay in render.OVERLAYS:
            self.assertEqual(agree.differences(whole(overlay), code()), [], overlay)
        self.assertEqual(list(agree.promised(whole("prod"))), [])

    def test_the_cluster_alerts_by_the_rules_that_promtool_tests(self) -> None:
        said = find(whole("prod"), "PrometheusRule", "troupe")["spec"]["groups"]
        self.assertEqual(said, rules.rule()["spec"]["groups"], "run k8s/check/rules.py")

    def noticed(self, overlay: str, spoil, sentence: str) -> None:  # noqa: ANN001
        objects = whole(overlay)
        spoil(objects)
        said = agree.differences(objects, code()) + (list(agree.promised(objects)) if overlay == "prod" else [])
        self.assertTrue(any(sentence in s for s in said), f"not noticed: {sentence}; said: {said}")

    def test_a_variable_that_nobody_reads_is_noticed(self) -> None:
        def spoil(objects: list[dict]) -> None:
            container(objects, "auth")["env"].append({"name": "AUTH_CODE_KEI", "value": "x"})

        self.noticed("prod", spoil, "auth is told AUTH_CODE_KEI")

    def test_a_variable_that_is_missing_is_noticed(self) -> None:
        def spoil(objects: list[dict]) -> None:
            env = container(objects, "media-api")["env"]
            env[:] = [e for e in env if e["name"] != "MEDIA_SIGNING_KEY"]

        self.noticed("dev", spoil, "media-api needs MEDIA_SIGNING_KEY")

    def test_a_key_that_nobody_makes_is_noticed(self) -> None:
        def spoil(objects: list[dict]) -> None:
            find(objects, "ExternalSecret", "auth")["spec"]["data"].pop(0)

        self.noticed("prod", spoil, "the Secret auth, which nobody makes")

    def test_a_port_that_nobody_listens_on_is_noticed(self) -> None:
        def spoil(objects: list[dict]) -> None:
            container(objects, "catalog")["ports"][0]["containerPort"] = 50052

        self.noticed("dev", spoil, "catalog listens on 0.0.0.0:50051 for grpc")

    def test_a_probe_that_asks_in_vain_is_noticed(self) -> None:
        def spoil(objects: list[dict]) -> None:
            container(objects, "bff")["livenessProbe"]["httpGet"]["path"] = "/healthz"

        self.noticed("prod", spoil, "the livenessProbe of bff asks /healthz")

    def test_a_pod_that_is_killed_while_it_drains_is_noticed(self) -> None:
        def spoil(objects: list[dict]) -> None:
            find(objects, "Deployment", "chat")["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] = 25

        self.noticed("prod", spoil, "chat is killed after 25 s")

    def test_a_call_without_a_policy_is_noticed(self) -> None:
        def spoil(objects: list[dict]) -> None:
            find(objects, "NetworkPolicy", "billing")["spec"]["ingress"].clear()

        self.noticed("prod", spoil, "no ingress policy lets chat call billing:50051")

    def test_a_policy_without_a_call_is_noticed(self) -> None:
        def spoil(objects: list[dict]) -> None:
            rule = find(objects, "NetworkPolicy", "media-api")["spec"]["egress"][0]
            rule["to"][0]["podSelector"]["matchExpressions"][0]["values"].append("chat")

        self.noticed("dev", spoil, "an egress policy lets media-api call chat:50051")

    def opened(self, way: str, rule: dict, *sentences: str) -> None:
        """Chat, with this rule beside its own."""
        for sentence in sentences:
            self.noticed("prod", lambda objects: find(objects, "NetworkPolicy", "chat")["spec"][way].append(rule), sentence)

    def test_a_policy_that_lets_everybody_through_is_noticed(self) -> None:
        to_auth = "an egress policy lets chat call auth-db:5432"
        self.opened("egress", {}, to_auth, "lets chat call anybody at every port")
        self.opened("egress", {"to": []}, to_auth)
        self.opened("egress", {"ports": [{"port": 5432}]}, to_auth, "lets chat call anybody at port 5432")
        # No pod of ours has this port, and the world does.
        self.opened("egress", {"ports": [{"port": 443}]}, "lets chat call anybody at port 443")
        self.opened("egress", {"to": [{"namespaceSelector": {}}]}, to_auth, "lets chat call every namespace")
        self.opened("egress", {"to": [{"namespaceSelector": {}, "podSelector": {}}]}, to_auth)
        self.opened("egress", {"to": [{"podSelector": {}}]}, to_auth)
        own = {"matchLabels": {"kubernetes.io/metadata.name": "troupe"}}
        self.opened("egress", {"to": [{"namespaceSelector": own}]}, to_auth)
        self.opened("egress", {"to": [{"ipBlock": {"cidr": "0.0.0.0/0"}}]}, to_auth, "lets chat call 0.0.0.0/0")
        self.opened("egress", {"to": [{"ipBlock": {"cidr": "10.2.0.0/16"}}]}, to_auth)
        from_redis = "an ingress policy lets redis call chat:50051"
        self.opened("ingress", {}, from_redis, "lets anybody call chat at every port")
        self.opened("ingress", {"from": [{"namespaceSelector": {}}], "ports": [{"port": "grpc"}]}, from_redis)

    def test_a_way_out_of_the_house_that_nobody_needs_is_noticed(self) -> None:
        def everybody(objects: list[dict]) -> None:
            find(objects, "NetworkPolicy", "outside")["spec"]["podSelector"] = {}

        self.noticed("prod", everybody, "an egress policy lets bff call the internet at port 443")

        def mail(objects: list[dict]) -> None:
            find(objects, "NetworkPolicy", "outside")["spec"]["egress"][0]["ports"].append({"port": 25})

        self.noticed("dev", mail, "an egress policy lets catalog call the internet at port 25")
        elsewhere = {"matchLabels": {"kubernetes.io/metadata.name": "default"}}
        self.opened("ingress", {"from": [{"namespaceSelector": elsewhere}]}, "metadata.name=default call chat at every port")

    def test_a_rule_of_a_direction_that_its_policy_does_not_have_is_noticed(self) -> None:
        def spoil(objects: list[dict]) -> None:
            find(objects, "NetworkPolicy", "bff")["spec"]["policyTypes"] = ["Ingress"]

        self.noticed("prod", spoil, "no egress policy lets bff call chat:50051")

    def test_a_call_that_the_graph_does_not_have_is_noticed(self) -> None:
        less = {**code().calls, "catalog": []}
        said = agree.differences(whole("dev"), code_facts.dataclasses.replace(code(), calls=less))
        self.assertIn("catalog is told the address of media, which is not in deploy/calls.toml", said)
        more = {**code().calls, "billing": ["catalog"]}
        said = agree.differences(whole("dev"), code_facts.dataclasses.replace(code(), calls=more))
        self.assertIn("deploy/calls.toml has billing → catalog, and no process is told that address", said)

    def test_an_open_house_is_noticed(self) -> None:
        def spoil(objects: list[dict]) -> None:
            objects.remove(find(objects, "NetworkPolicy", "nothing"))

        self.noticed("prod", spoil, "there is no policy that forbids everything")

    def test_scaling_by_another_queue_is_noticed(self) -> None:
        def spoil(objects: list[dict]) -> None:
            trigger = find(objects, "ScaledObject", "media-worker")["spec"]["triggers"][0]
            trigger["metadata"]["queueName"] = "jobs"

        self.noticed("prod", spoil, "KEDA looks at the queue jobs")

    def test_replicas_that_do_not_follow_both_are_noticed(self) -> None:
        def metrics(objects: list[dict], name: str) -> list[dict]:
            return find(objects, "HorizontalPodAutoscaler", name)["spec"]["metrics"]

        self.noticed("prod", lambda objects: metrics(objects, "edge").pop(1), "replicas of edge do not follow requests")
        self.noticed("prod", lambda objects: metrics(objects, "chat").pop(0), "replicas of chat do not follow CPU")

        def gone(objects: list[dict]) -> None:
            objects.remove(find(objects, "HorizontalPodAutoscaler", "bff"))

        self.noticed("prod", gone, "nothing scales bff")

        def alone(objects: list[dict]) -> None:
            find(objects, "HorizontalPodAutoscaler", "auth")["spec"]["minReplicas"] = 1

        self.noticed("prod", alone, "auth has one replica at times")

        def unknown(objects: list[dict]) -> None:
            metrics(objects, "bff")[1]["pods"]["metric"]["name"] = "pages_per_second"

        self.noticed("prod", unknown, "bff follows pages_per_second")

    def test_workers_that_stay_without_work_are_noticed(self) -> None:
        def spoil(objects: list[dict]) -> None:
            find(objects, "ScaledObject", "media-worker")["spec"]["minReplicaCount"] = 1

        self.noticed("prod", spoil, "media-worker is not scaled to none")

    def test_a_broker_whose_queues_nobody_reads_is_noticed(self) -> None:
        def unread(objects: list[dict]) -> None:
            find(objects, "ServiceMonitor", "rabbitmq")["spec"]["endpoints"][0]["path"] = "/metrics"

        self.noticed("prod", unread, "no ServiceMonitor asks the broker for")

        def shut(objects: list[dict]) -> None:
            objects.remove(find(objects, "NetworkPolicy", "rabbitmq-metrics"))

        self.noticed("prod", shut, "no ingress policy is for rabbitmq and kubernetes.io/metadata.name=monitoring at port 15692")

    def test_a_process_that_nothing_keeps_is_noticed(self) -> None:
        def spoil(objects: list[dict]) -> None:
            objects.remove(find(objects, "PodDisruptionBudget", "edge"))

        self.noticed("prod", spoil, "edge has 0 PodDisruptionBudgets")

    def test_a_namespace_that_lets_any_pod_in_is_noticed(self) -> None:
        def spoil(objects: list[dict]) -> None:
            find(objects, "Namespace", "troupe")["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] = "baseline"

        self.noticed("dev", spoil, "the namespace troupe has enforce baseline")

    def test_a_request_that_is_guessed_is_noticed(self) -> None:
        # What was measured is read from the plan, which is measured anew from time to time.
        measured = figures.rows("asks for")
        hashing = agree.hashing(figures.first(measured["auth"]["peak"]))

        def requests(objects: list[dict], name: str) -> dict:
            return container(objects, name)["resources"]["requests"]

        self.noticed("dev", lambda o: requests(o, "bff").update(cpu="150m"), "bff asks for 150m and 128 MiB, docs/scaling.md says 200m")
        self.noticed("prod", lambda o: requests(o, "chat").update(memory="32Mi"), f"chat asks for 32 MiB and was measured at {measured['chat']['peak']}")
        self.noticed("prod", lambda o: requests(o, "edge").update(cpu="100m"), f"edge asks for 100m and was measured at {measured['edge']['busy CPU']}")
        self.noticed("prod", lambda o: requests(o, "auth").update(memory="160Mi"), f"auth asks for 160 MiB and takes {hashing:.0f} while")

        def store(objects: list[dict]) -> None:
            find(objects, "Cluster", "chat-db")["spec"]["resources"]["requests"]["memory"] = "1Gi"

        self.noticed("prod", store, "chat-db asks for 1000m and 1024 MiB")

        def another(objects: list[dict]) -> None:
            find(objects, "StatefulSet", "redis")["metadata"]["name"] = "valkey"

        self.noticed("prod", another, "docs/scaling.md does not say what StatefulSet valkey asks for")

    def test_a_number_of_requests_that_is_guessed_is_noticed(self) -> None:
        carried, asked = figures.rows("replicas follow"), figures.rows("asks for")
        said, takes = (figures.first(carried["bff"][column]) for column in ("replicas follow", "a request takes"))
        asks = figures.cpu(asked["bff"]["asks for"].split(", ")[0])

        def spoil(objects: list[dict]) -> None:
            find(objects, "HorizontalPodAutoscaler", "catalog")["spec"]["metrics"][1]["pods"]["target"]["averageValue"] = "300"

        self.noticed("prod", spoil, f"replicas of catalog follow [300.0] requests a second, docs/scaling.md says {figures.first(carried['catalog']['replicas follow']):.0f}")

        def busier(objects: list[dict]) -> None:
            find(objects, "HorizontalPodAutoscaler", "bff")["spec"]["metrics"][0]["resource"]["target"]["averageUtilization"] = 90

        self.noticed("prod", busier, f"{asks}m at 90 % carry {asks * 0.9 / takes:.0f} requests of {takes} ms a second, docs/scaling.md says {said:.0f} for bff")

    def test_a_database_without_its_second_half_is_noticed(self) -> None:
        def spoil(objects: list[dict]) -> None:
            objects.remove(find(objects, "Job", "chat-contract"))

        self.noticed("prod", spoil, "the database chat is migrated in ['expand']")


class Safe(unittest.TestCase):
    """Checkov, with the exceptions of `checkov.yaml`."""

    def checkov(self, objects: list[dict]) -> str:
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "all.yaml").write_text(yaml.safe_dump_all(objects), encoding="utf-8")
            done = subprocess.run(
                # Without a word to its makers' servers.
                [sys.executable, "-m", "checkov.main", "--config-file", str(HERE / "checkov.yaml"), "-d", folder, "--skip-download"],
                capture_output=True,
                text=True,
                check=False,
            )
        return "" if done.returncode == 0 else done.stdout + done.stderr

    def test_checkov_has_nothing_to_say(self) -> None:
        everything = [o for overlay in render.OVERLAYS for o in whole(overlay) if o["kind"] != "Secret"]
        self.assertEqual(self.checkov(everything), "")

    def test_checkov_notices_a_process_that_runs_as_root(self) -> None:
        deployment = find(whole("prod"), "Deployment", "chat")
        pod = deployment["spec"]["template"]["spec"]
        pod["securityContext"] = {"runAsUser": 0}
        pod["containers"][0]["securityContext"] = {"privileged": True}
        self.assertIn("CKV_K8S_16", self.checkov([deployment]))


class Tilt(unittest.TestCase):
    """The Tiltfile, run."""

    def text(self) -> str:
        return (render.ROOT / "Tiltfile").read_text(encoding="utf-8")

    def test_it_builds_and_orders_what_the_cluster_is_given(self) -> None:
        said = tilt.run(self.text())
        self.assertEqual(tilt.order(said), [])
        processes = {o["metadata"]["name"]: o for o in said.objects if o["kind"] == "Deployment"}
        images = {o["spec"]["template"]["spec"]["containers"][0]["image"] for o in processes.values()}
        self.assertEqual(set(said.images), images)
        self.assertLessEqual(processes.keys(), said.resources.keys())
        self.assertEqual(set(said.buttons), {"seed", "test", "logs"})
        for task in said.buttons:
            self.assertTrue(said.resources[task]["manual"], f"{task} would start by itself")
        for ref, image in said.images.items():
            self.assertEqual(image["only"], [ref.removeprefix("troupe/")])

    def test_what_tilt_runs_is_what_its_apis_take(self) -> None:
        self.assertEqual(schemas.complaints(tilt.run(self.text()).objects), [])

    def test_mistakes_are_noticed(self) -> None:
        for before, after in [
            ("local_resource(", "local_resorce("),
            ("live_update =", "live_updates ="),
            ('"k8s/overlays/dev/stores"', '"k8s/overlays/dev/shops"'),
            ("TRIGGER_MODE_MANUAL", "TRIGGER_MODE_BY_HAND"),
            ('for store in ["postgres"', 'for store in ["postgresql"'),
        ]:
            with self.assertRaises((tilt.starlark.StarlarkError, ValueError, SystemExit), msg=after):
                tilt.run(self.text().replace(before, after))
        circle = tilt.run(self.text().replace('"auth": ["auth-expand"', '"auth": ["bff", "auth-expand"'))
        self.assertNotEqual(tilt.order(circle), [])


if __name__ == "__main__":
    outcome = unittest.main(exit=False, verbosity=1).result
    failed = len(outcome.failures) + len(outcome.errors)
    print(f"Tests  {outcome.testsRun - failed} passed ({outcome.testsRun})")
    sys.exit(1 if failed else 0)
