"""What ranks print that cannot find each other: taken ports, refused connections, lost peers, gloo's timeouts."""

from __future__ import annotations

from paddle_doctor.core.finding import Certainty
from paddle_doctor.core.language import Text
from paddle_doctor.core.signature import Role, Signature

_PORT = Text("A port that the job wants to listen on is taken.", "任务要监听的端口已被占用。")
_PEER_GONE = Text("Another rank exited while this one was communicating with it.", "通信过程中对端 rank 已经退出。")
_RETRY = Text(
    "A server that this rank needs does not answer yet; normal in the first minute after the start.",
    "所需的服务端尚未应答；启动后一分钟内属正常。",
)

SIGNATURES = (
    Signature(
        id="address-in-use",
        pattern=r"Address already in use|[Bb]ind network on \S{1,80} failed|uv__finish_close: Assertion"
        r"|port \d{1,5} is (?:already )?(?:used|in use|occupied)|prot \d{1,5} is already used"
        r"|地址已在使用|EADDRINUSE|handle->flags & UV_HANDLE_CLOSING",
        role=Role.ROOT,
        cause="port-in-use",
        says=_PORT,
        matches=(
            "OSError: [Errno 98] Address already in use",
            "ValueError: (InvalidArgument) Bind network on IP_ANY:6170 failed.",
            "python: src/unix/core.c:302: uv__finish_close: Assertion `handle->flags & UV_HANDLE_CLOSING' failed.",
        ),
    ),
    Signature(
        id="gloo-peer-gone",
        pattern=r"pair\.cc:\d{1,6}\] (?:TIMEOUT self_rank = (?P<self_rank>\d{1,6}) pair_rank = "
        r"(?P<pair_rank>\d{1,6})|Read error|Write error|Connection closed|Connection reset)",
        role=Role.CONSEQUENCE,
        says=_PEER_GONE,
        matches=(
            (
                "RuntimeError: [gloo/transport/tcp/pair.cc:584] TIMEOUT self_rank = 0 pair_rank = 1 peer_str "
                "= [127.0.0.1]:22947"
            ),
            "RuntimeError: [gloo/transport/tcp/pair.cc:576] Read error [127.0.0.1]:62134: Connection reset by peer",
        ),
        misses=(
            (
                "RuntimeError: [gloo/transport/tcp/unbound_buffer.cc:80] TIMEOUT self_rank = none pair_rank "
                "= -1 peer_str = none"
            ),
        ),
    ),
    Signature(
        id="gloo-waited",
        pattern=r"unbound_buffer\.cc:\d{1,6}\] (?:TIMEOUT|Timed out)|gloo::TimeoutException",
        role=Role.CONFIRMATION,
        cause="rank-desync-hang",
        certainty=Certainty.LIKELY,
        says=Text(
            "This rank waited 30 seconds in a collective call for another rank that did not come.",
            "该 rank 在集合通信中等待了 30 秒，另一个 rank 始终没有到达。",
        ),
        matches=(
            (
                "RuntimeError: [gloo/transport/tcp/unbound_buffer.cc:80] TIMEOUT self_rank = none pair_rank "
                "= -1 peer_str = none"
            ),
            "terminate called after throwing an instance of 'gloo::TimeoutException'",
        ),
    ),
    Signature(
        id="collective-timeout",
        pattern=r"(?:[Ww]atchdog|WorkNCCL|[Cc]omm_?[Tt]ask|CommTask|collective).{0,200}(?:timed out"
        r"|timeout|TIMEOUT)|ProcessGroupNCCL.{0,200}(?:timed out|timeout)",
        role=Role.ROOT,
        cause="rank-desync-hang",
        certainty=Certainty.LIKELY,
        says=Text(
            "A collective call did not end in time: ranks wait for each other.", "集合通信超时：各 rank 在相互等待。"
        ),
        matches=(
            "[Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=5, OpType=ALLREDUCE)",
            "comm_task_manager.cc:273] Detected rank: 1 CommTask timeout",
        ),
    ),
    Signature(
        id="store-gone",
        pattern=r"TCP send error\. Details: (?:Broken pipe|Connection reset)"
        r"|Expected byte_(?:sent|received) ?>"
        r"|TCP (?:receive|recv) error\. Details: (?:Connection reset|Broken)|^BrokenPipeError\b"
        r"|^ConnectionResetError\b|Connection reset by peer",
        role=Role.CONSEQUENCE,
        says=Text(
            "The rank that held the store (rank 0) or a peer is gone.", "持有 store 的 rank（rank 0）或对端已经退出。"
        ),
        matches=(
            "ValueError: TCP send error. Details: Broken pipe.",
            "ConnectionResetError: [Errno 104] Connection reset by peer",
        ),
    ),
    Signature(
        id="peer-unreachable",
        pattern=r"_timeout: ?\d{1,6} elapsed: ?\d{1,6}|Stop_waiting response is expected"
        r"|wait for peer .{0,60}time ?out|rendezvous.{0,60}time ?out"
        r"|failed to connect to (?:master|all addresses|etcd)|Connection timed out",
        role=Role.ROOT,
        cause="connection-refused-or-timeout",
        says=Text("A peer or the master did not answer in time.", "对端或 master 没有及时应答。"),
        matches=(
            "ValueError: (InvalidArgument) Stop_waiting response is expected",
            "SystemError: (Fatal) _timeout:900 elapsed:901 (at tcp_store.cc:402)",
        ),
    ),
    Signature(
        id="connection-refused",
        pattern=r"Connection refused(?! retry)|\[Errno 111\]|\[Errno 110\]|\[Errno 113\]|No route to host"
        r"|ConnectTimeout|Max retries exceeded with url|连接被拒绝|\[WinError 10061\]"
        r"|\[WinError 10060\]",
        role=Role.ROOT,
        cause="connection-refused-or-timeout",
        certainty=Certainty.LIKELY,
        says=Text("A connection was refused or timed out.", "连接被拒绝或超时。"),
        matches=("ConnectionRefusedError: [Errno 111] Connection refused", "OSError: [Errno 113] No route to host"),
    ),
    Signature(
        id="name-unresolved",
        pattern=r"Name or service not known|Temporary failure in name resolution|nodename nor servname"
        r"|getaddrinfo failed|cannot be obtained\. Details",
        role=Role.ROOT,
        cause="connection-refused-or-timeout",
        certainty=Certainty.LIKELY,
        says=Text("A host name does not resolve.", "主机名无法解析。"),
        fix=Text(
            "Add the host's name to /etc/hosts, or pass addresses with --ips or --master.",
            "在 /etc/hosts 中加入该主机名，或用 --ips、--master 直接给出地址。",
        ),
        matches=(
            "ValueError: (InvalidArgument) The network node-1: cannot be obtained. Details: Name or service not known.",
        ),
    ),
    Signature(
        id="peer-retry",
        pattern=r"connect addr=\S{1,80} failed \d{1,6} times with reason"
        r"|server not ready, wait \d{1,6} sec to retry"
        r"|Retry to connect to (?P<peer>\S{1,120}) while the server is not yet listening"
        r"|Socket connect worker .{0,80}failed, try again|master not ready|Waiting peer start"
        r"|not ready endpoints",
        role=Role.CONFIRMATION,
        cause="connection-refused-or-timeout",
        certainty=Certainty.LIKELY,
        says=_RETRY,
        matches=(
            "server not ready, wait 3 sec to retry...",
            (
                "W0606 gen_comm_id_helper.cc:120] connect addr=10.0.0.2:6170 failed 4 times with reason: "
                "Connection refused retry after 3 seconds"
            ),
            "I1201 tcp_utils.cc:109] Retry to connect to 127.0.0.1:50044 while the server is not yet listening.",
        ),
    ),
    Signature(
        id="network-card-missing",
        pattern=r"Unable to find address for: ?(?P<card>\S{1,60})|[Nn]o socket interface found"
        r"|[Cc]an't find .{0,40}(?:IFNAME|ifname)",
        role=Role.ROOT,
        cause="connection-refused-or-timeout",
        certainty=Certainty.LIKELY,
        says=Text("The network card that the job was told to use does not exist.", "指定的网卡不存在。"),
        fix=Text(
            "Correct or unset NCCL_SOCKET_IFNAME and GLOO_SOCKET_IFNAME; ip -brief address lists the cards.",
            "改正或 unset NCCL_SOCKET_IFNAME、GLOO_SOCKET_IFNAME；用 ip -brief address 查看网卡。",
        ),
        commands=("ip -brief address",),
        matches=("RuntimeError: Unable to find address for: eth9",),
    ),
    Signature(
        id="ready-endpoints",
        pattern=r"Successfully connected to \S{1,80}:\d{1,5}|init nccl context nranks",
        role=Role.LAUNCHER,
        says=Text("The rank reached the store.", "该 rank 已连上 store。"),
        matches=("I1201 00:58:28.911226  9187 tcp_utils.cc:132] Successfully connected to 127.0.0.1:41975",),
    ),
    Signature(
        id="launch-variable-read",
        pattern=r"(?:getenv|environ\.get|environ)\W{1,3}['\"](?P<variable>PADDLE_\w{1,60}|FLAGS_selected_\w{1,10})",
        role=Role.CONFIRMATION,
        cause="env-leftover",
        says=Text("The program was reading the launch variable {variable}.", "程序正在读取启动变量 {variable}。"),
        matches=(
            '    local_rank = int(os.getenv("PADDLE_TRAINER_ID", "0"))',
            "n = int(os.environ['PADDLE_TRAINERS_NUM'])",
        ),
        misses=('home = os.getenv("HOME")',),
    ),
    Signature(
        id="env-leftover-gpus",
        pattern=r"environment variable (?P<variable>FLAGS_selected_gpus|FLAGS_selected_xpus"
        r"|PADDLE_TRAINER_ID|PADDLE_CURRENT_ENDPOINT|PADDLE_TRAINER_ENDPOINTS"
        r"|PADDLE_TRAINERS_NUM) is needed, but not set",
        role=Role.ROOT,
        cause="env-leftover",
        certainty=Certainty.LIKELY,
        says=Text(
            "The process believes that it is one of several ranks, and {variable} is not set: variables "
            "of an earlier job were left behind.",
            "进程误以为自己是多个 rank 之一，但没有设置 {variable}：是之前任务残留的环境变量。",
        ),
        fix=Text(
            "Do not set {variable}; unset the variables that an earlier job left (PADDLE_TRAINERS_NUM above all).",
            "不要去设置 {variable}；应清除之前任务残留的变量（首先是 PADDLE_TRAINERS_NUM）。",
        ),
        commands=(
            (
                "unset PADDLE_TRAINERS_NUM PADDLE_TRAINER_ID PADDLE_TRAINER_ENDPOINTS "
                "PADDLE_CURRENT_ENDPOINT PADDLE_MASTER"
            ),
        ),
        matches=(
            (
                "ValueError: paddle.distributed initialize error, environment variable FLAGS_selected_gpus "
                "is needed, but not set."
            ),
        ),
    ),
)
